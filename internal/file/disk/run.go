package disk

import (
	"encoding/binary"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
)

// Fingerprint identifies a program by the full name of the VM build and the content of the class path; paths are
// ignored. It is zero, unknown, if the VM, the class path or the content of an entry is unknown.
func Fingerprint(vm string, classPath []layout.ClassPathEntry) (f [16]byte) {
	if vm == "" || classPath == nil {
		return f
	}
	for f = range Fingerprints(vm, classPath) {
	}
	return f
}

// Fingerprints iterates over the fingerprints of a program with each prefix of its class path, from no entry to all.
// From the first entry with unknown content on it yields zeros.
func Fingerprints(vm string, classPath []layout.ClassPathEntry) iter.Seq[[16]byte] {
	return func(yield func([16]byte) bool) {
		f := hash128([]byte(vm))
		if !yield(f) {
			return
		}
		for _, e := range classPath {
			if e.Kind == ContentUnknown || f == [16]byte{} {
				f = [16]byte{}
			} else {
				f = hash128(appendContent(f[:], e.Content))
			}
			if !yield(f) {
				return
			}
		}
	}
}

func appendContent(b []byte, c layout.Content) []byte {
	for _, word := range []uint64{uint64(c.Kind), c.Size, c.Sum} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// hash128 returns a 128-bit hash of b: XXH64 of b followed by a byte 0, then XXH64 of b followed by a byte 1.
func hash128(b []byte) (id [16]byte) {
	binary.LittleEndian.PutUint64(id[:], xxhash.Sum64(append(b[:len(b):len(b)], 0)))
	binary.LittleEndian.PutUint64(id[8:], xxhash.Sum64(append(b[:len(b):len(b)], 1)))
	return id
}

// DumpID returns the identity of a dump of process p. since is the earlier dump whose counts were subtracted, or zero.
func DumpID(p layout.Process, since [16]byte, at time.Time) [16]byte {
	b := append(p.Boot[:], since[:]...)
	for _, word := range []uint64{p.Namespace, p.PID, p.Start, uint64(at.UnixNano())} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return hash128(b)
}

// RandomDumpID returns a random identity for a dump of unknown origin. It must be unique but not secret. It uses
// math/rand/v2, since the buffer of crypto/rand adds 32 MiB to the memory of each program.
func RandomDumpID() (id [16]byte) {
	binary.LittleEndian.PutUint64(id[:], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return id
}
