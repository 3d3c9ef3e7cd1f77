package disk

import (
	"encoding/binary"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
)

// Fingerprint identifies a program: a build of a VM, as the VM names it in full,
// and the content of a class path. Paths do not matter. It is zero, not known,
// if the VM, the class path, or the content of one of its entries is not known.
func Fingerprint(vm string, classPath []layout.ClassPathEntry) (f [16]byte) {
	if vm == "" || classPath == nil {
		return f
	}
	for f = range Fingerprints(vm, classPath) {
	}
	return f
}

// Fingerprints iterates over the fingerprints of a program with each prefix of its class path, from none of
// its entries to all. It goes on with zeros once the content of an entry is not known.
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

// hash128 returns 16 bytes that depend on all of b: XXH64 of b with a byte 0 after it, then with a byte 1.
func hash128(b []byte) (id [16]byte) {
	binary.LittleEndian.PutUint64(id[:], xxhash.Sum64(append(b[:len(b):len(b)], 0)))
	binary.LittleEndian.PutUint64(id[8:], xxhash.Sum64(append(b[:len(b):len(b)], 1)))
	return id
}

// DumpID returns the identity of a dump that is made of a process at a time: of what
// it held, or of its counts since an earlier dump.
func DumpID(p layout.Process, since [16]byte, at time.Time) [16]byte {
	b := append(p.Boot[:], since[:]...)
	for _, word := range []uint64{p.Namespace, p.PID, p.Start, uint64(at.UnixNano())} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return hash128(b)
}

// RandomDumpID returns an identity for a dump of which nothing else is known. It must be drawn once, and need not
// be a secret: so it comes from the runtime's generator, which the system seeds, and not from crypto/rand, whose
// buffer adds 32 MiB to the memory of each program.
func RandomDumpID() (id [16]byte) {
	binary.LittleEndian.PutUint64(id[:], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return id
}
