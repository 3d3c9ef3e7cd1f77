package layout

import (
	"fmt"
	"time"
)

// A Provenance says which run a dump is of. What is not known is zero.
type Provenance struct {
	DumpID [16]byte // of the dump, as in the header of its archive
	// Since is the dump that the counts were counted from; zero if they are
	// totals, counted from the start of the process.
	Since   [16]byte
	Process Process
	Begun   time.Time // when the process started
	Time    time.Time // of which moment the counts are
	Exit    Exit

	VM        string           // build of the VM, in full
	Vendor    string           // of the VM
	Main      string           // main class, module or jar
	Command   string           // command line, without secrets
	Options   string           // options of the VM that are not on the command line, without secrets
	Selection string           // which profiles of the process the dump was limited to; empty: all
	ClassPath []ClassPathEntry // nil if not known
}

// A Process identifies a process among those of all machines. The zero value is
// none.
type Process struct {
	Boot      [16]byte // boot id of the machine
	Namespace uint64   // of process numbers
	PID       uint64   // in that namespace
	Start     uint64   // in clock ticks since the machine was booted
}

// Known reports whether it identifies a process.
func (p Process) Known() bool { return p.Boot != [16]byte{} }

// An Exit says how a process ended. The zero value: it had not ended, or nobody
// knows.
type Exit uint64

const (
	exitWithCode = 1
	exitBySignal = 2
	exitShift    = 32
)

// ExitCode is the end of a process with a code.
func ExitCode(code int) Exit { return Exit(uint32(code))<<exitShift | exitWithCode }

// ExitSignal is the end of a process by a signal.
func ExitSignal(number int) Exit { return Exit(uint32(number))<<exitShift | exitBySignal }

// String says how the process ended: "exit code 3", "signal 9", or "not ended".
func (e Exit) String() string {
	switch value := int32(e >> exitShift); uint32(e) {
	case exitWithCode:
		return fmt.Sprintf("exit code %d", value)
	case exitBySignal:
		return fmt.Sprintf("signal %d", value)
	}
	return "not ended"
}

// A ClassPathEntry is a file or directory of a class path.
type ClassPathEntry struct {
	Path string
	Content
}

// A ContentKind says what stands at a path.
type ContentKind uint64

// The kinds of content.
const (
	ContentMissing   ContentKind = 0 // nothing
	ContentFile      ContentKind = 1
	ContentDirectory ContentKind = 2
	ContentUnknown   ContentKind = 3 // something that was not read
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

// A Content identifies what a file or directory holds. See archive.SumContent.
type Content struct {
	Kind ContentKind
	Size uint64 // in bytes, of a directory of all its files
	Sum  uint64 // XXH64, of a directory over names and contents
}
