package layout

import (
	"encoding/binary"
	"fmt"
	"iter"
	"time"

	"github.com/cespare/xxhash/v2"
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

// Fingerprint identifies a program: a build of a VM, as the VM names it in full,
// and the content of a class path. Paths do not matter. It is zero, not known,
// if the VM, the class path, or the content of one of its entries is not known.
func Fingerprint(vm string, classPath []ClassPathEntry) (f [16]byte) {
	if vm == "" || classPath == nil {
		return f
	}
	for f = range Fingerprints(vm, classPath) {
	}
	return f
}

// Fingerprints iterates over the fingerprints of a program with each prefix of
// its class path, from none of its entries to all. It goes on with zeros once
// the content of an entry is not known.
func Fingerprints(vm string, classPath []ClassPathEntry) iter.Seq[[16]byte] {
	return func(yield func([16]byte) bool) {
		f := sumPair([]byte(vm))
		if !yield(f) {
			return
		}
		for _, e := range classPath {
			if e.Kind == ContentUnknown || f == [16]byte{} {
				f = [16]byte{}
			} else {
				f = sumPair(e.Content.appendTo(f[:]))
			}
			if !yield(f) {
				return
			}
		}
	}
}

func (c Content) appendTo(b []byte) []byte {
	for _, word := range []uint64{uint64(c.Kind), c.Size, c.Sum} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// sumPair is 16 bytes that depend on all of b: XXH64 of b with a byte 0 after
// it, then with a byte 1.
func sumPair(b []byte) (id [16]byte) {
	binary.LittleEndian.PutUint64(id[:], xxhash.Sum64(append(b[:len(b):len(b)], 0)))
	binary.LittleEndian.PutUint64(id[8:], xxhash.Sum64(append(b[:len(b):len(b)], 1)))
	return id
}

// DumpID is the identity of a dump that is made of a process at a time: of what
// it held, or of what it counted since an earlier dump.
func DumpID(p Process, since [16]byte, at time.Time) [16]byte {
	b := append(p.Boot[:], since[:]...)
	for _, word := range []uint64{p.Namespace, p.PID, p.Start, uint64(at.UnixNano())} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return sumPair(b)
}
