// Package perfdata has the records of perf.
package perfdata

// A Sample is a sample of an event.
type Sample struct {
	Event    string
	Process  int
	IP       uint64
	Period   uint64      // 0 if unknown
	Chain    []uint64    // call stack, the leaf first, with the marks of contexts; nil if none was recorded
	Branches [][2]uint64 // sources and targets of the last taken branches, the newest first
}

// A Map is a file that a process maps.
type Map struct {
	Process             int // -1 for the kernel
	Start, Size, Offset uint64
	File                string
	BuildID             []byte // nil if unknown
}
