package layout

import (
	"fmt"
	"strings"
	"time"
)

// A Provenance describes the run that a dump was taken from. Unknown fields are zero.
type Provenance struct {
	DumpID  [16]byte  // id of the dump, as in the header of its archive
	Since   [16]byte  // id of the dump that counts are relative to; zero if they start with the process
	Process Process   // zero if the current process is described
	Begun   time.Time // start of the process
	Time    time.Time // time at which the counts were taken
	Exit    Exit

	VM        string           // complete build string of the VM
	Vendor    string           // vendor of the VM
	Main      string           // main class, module or jar
	Command   string           // command line, without secrets
	Options   string           // options of the VM from outside the command line, without secrets
	Selection string           // selection of profiles in the dump; "" if all
	ClassPath []ClassPathEntry // nil if unknown
}

// A Process identifies a process on any machine. The zero value is an unknown process.
type Process struct {
	Boot      [16]byte // boot id of the machine
	Namespace uint64   // PID namespace; the high 32 bits number the VM if the process has several
	PID       uint64   // process id in Namespace
	Start     uint64   // start of the process in clock ticks since boot
}

// Known reports whether p is not zero.
func (p Process) Known() bool { return p.Boot != [16]byte{} }

// An Exit is the end of a process. The zero value means that the process had not ended or that its end is unknown.
type Exit uint64

const (
	exitWithCode = 1
	exitBySignal = 2
	exitShift    = 32
)

// String returns a string such as "exit code 3" or "signal 9". For the zero value it returns "end not recorded".
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

// A ContentKind is the kind of a class path entry. It is 0 for a missing file, 1 for a regular file, 2 for a
// directory, and 3 for a file that could not be read or is too large.
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
	Size uint64 // size in bytes; total of the files of a directory
	Sum  uint64 // XXH64 of the content; for a directory it covers names and contents
}

// A Weight is a factor for counts in billionths.
type Weight uint64

// WeightOne is the factor 1.
const WeightOne Weight = 1e9
const weightDecimals = 9

// String returns the weight as a decimal number.
func (w Weight) String() string {
	s := fmt.Sprintf("%d.%0*d", w/WeightOne, weightDecimals, uint64(w%WeightOne))
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// A BaseArchive identifies the base of a layer, the archive with the profiles that the layer lacks. Archives with
// equal DumpID can differ, such as an archive and a reduced copy. Sum tells them apart.
type BaseArchive struct {
	DumpID   [16]byte
	Sum      uint64    // Header.Sum
	Time     time.Time // time of the dump; zero if unknown
	Producer string
}

// AsBase returns the identity of the archive for layers on it.
func (h *Header) AsBase() BaseArchive {
	return BaseArchive{DumpID: h.DumpID, Sum: h.Sum, Time: h.Time(), Producer: h.Producer}
}

// ID returns DumpID and Sum in hexadecimal, for messages.
func (b BaseArchive) ID() string { return fmt.Sprintf("%x/%016x", b.DumpID, b.Sum) }
