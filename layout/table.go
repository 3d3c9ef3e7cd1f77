package layout

import (
	"fmt"
	"strings"
	"time"
)

// A TableKind is what a table of ex records. A producer defines the kinds from TableProducer on;
// docs/format.md lists the others.
type TableKind uint32

// tableNames are indexed by the kinds that this version of the format has.
var tableNames = [...]string{
	1:  "order",
	2:  "properties",
	3:  "dumps",
	4:  "monitors",
	5:  "samples",
	6:  "binary-ids",
	7:  "traces",
	8:  "vtables",
	9:  "heap-refs",
	10: "heap-use",
	11: "instances",
	12: "threads",
	13: "reflected",
	14: "foreign",
	15: "code",
	16: "runs",
	17: "class-path",
	18: "order-runs",
	19: "shapes",
	20: "compilations",
	21: "inlining",
	22: "functions",
	23: "base",
	25: "moved",
	26: "certain",
	27: "allocations",
	28: "allocation-calls",
	29: "objects",
}

// String returns the name of the kind, or its number if this version does not know it.
func (k TableKind) String() string {
	if int64(k) < int64(len(tableNames)) && tableNames[k] != "" {
		return tableNames[k]
	}
	return fmt.Sprint(uint32(k))
}

// A ColumnKind is what the cells of a column hold.
type ColumnKind uint8

// The kinds of columns.
const (
	ColumnWord    ColumnKind = 1 // a 64-bit number
	ColumnSymbol  ColumnKind = 2 // a reference to a symbol, 0 for none
	ColumnType    ColumnKind = 3 // a reference to a type record, 0 for none
	ColumnMethod  ColumnKind = 4 // a reference to a method record, 0 for none
	ColumnProfile ColumnKind = 5 // a reference to a MethodData block, 0 for none
	ColumnContext ColumnKind = 6 // a reference to a context node, 0 for none
)

var columnKindNames = map[ColumnKind]string{ColumnWord: "word", ColumnSymbol: "symbol", ColumnType: "type",
	ColumnMethod: "method", ColumnProfile: "profile", ColumnContext: "context"}

func (k ColumnKind) String() string {
	if name, ok := columnKindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("column(%d)", uint8(k))
}

// A Provenance is the run that a dump is of. Fields that are not known are zero.
type Provenance struct {
	DumpID [16]byte // of the dump, as in the header of its archive
	// Since is the dump that the counts were counted from; zero if they are
	// totals, counted from the start of the process.
	Since   [16]byte
	Process Process   // zero to describe a run of this process
	Begun   time.Time // when the process started
	Time    time.Time // when the counts were taken
	Exit    Exit

	VM        string           // build of the VM, in full
	Vendor    string           // of the VM
	Main      string           // main class, module or jar
	Command   string           // command line, without secrets
	Options   string           // options of the VM that are not on the command line, without secrets
	Selection string           // the profiles that the dump was limited to; empty: all
	ClassPath []ClassPathEntry // nil if not known
}

// A Process identifies a process among the processes of all machines. The zero value is none.
type Process struct {
	Boot      [16]byte // boot id of the machine
	Namespace uint64   // of process numbers; of several VMs in the process, the high 32 bits are the number of this one
	PID       uint64   // in that namespace
	Start     uint64   // in clock ticks since the machine was booted
}

// Known reports whether it identifies a process.
func (p Process) Known() bool { return p.Boot != [16]byte{} }

// An Exit is how a process ended. The zero value: it had not ended, or that is not known.
type Exit uint64

const (
	exitWithCode = 1
	exitBySignal = 2
	exitShift    = 32
)

// ExitCode returns the end of a process with a code.
func ExitCode(code int) Exit { return Exit(uint32(code))<<exitShift | exitWithCode }

// ExitSignal returns the end of a process by a signal.
func ExitSignal(number int) Exit { return Exit(uint32(number))<<exitShift | exitBySignal }

// String returns "exit code 3", "signal 9", or "end not recorded" for the zero value: the
// process had not ended, or whoever described the run does not know.
func (e Exit) String() string {
	switch value := int32(e >> exitShift); uint32(e) {
	case exitWithCode:
		return fmt.Sprintf("exit code %d", value)
	case exitBySignal:
		return fmt.Sprintf("signal %d", value)
	}
	return "end not recorded"
}

// A ClassPathEntry is a file or directory of a class path.
type ClassPathEntry struct {
	Path string
	Content
}

// A ContentKind is the kind of file at a path.
type ContentKind uint64

// The kinds of content.
const (
	ContentMissing   ContentKind = 0 // nothing
	ContentFile      ContentKind = 1
	ContentDirectory ContentKind = 2
	ContentUnknown   ContentKind = 3 // something that could not be read or is too large
)

func (k ContentKind) String() string {
	switch k {
	case ContentMissing:
		return "missing"
	case ContentFile:
		return "file"
	case ContentDirectory:
		return "directory"
	}
	return "not read"
}

// A Content identifies the content of a file or directory; see archive.SumContent.
type Content struct {
	Kind ContentKind
	Size uint64 // in bytes, of a directory of all its files
	Sum  uint64 // XXH64, of a directory over names and contents
}

// A Weight is a factor for counts, exact in billionths, as the table of dumps stores it.
type Weight uint64

// WeightOne is the weight that changes nothing.
const WeightOne Weight = 1e9

// weightDecimals is the number of decimal places of a weight.
const weightDecimals = 9

// String returns the weight as a decimal number.
func (w Weight) String() string {
	s := fmt.Sprintf("%d.%0*d", w/WeightOne, weightDecimals, uint64(w%WeightOne))
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
