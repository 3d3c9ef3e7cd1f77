package layout

import (
	"fmt"
	"strings"
	"time"
)

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

// A ContentKind is the kind of file at a path: 0 if there is none, 1 for a regular file, 2 for a directory, 3 if
// it could not be read or is too large.
type ContentKind uint64

func (k ContentKind) String() string {
	switch k {
	case 0:
		return "missing"
	case 1:
		return "file"
	case 2:
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
