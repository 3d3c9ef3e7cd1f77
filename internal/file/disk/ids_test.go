package disk_test

import (
	"crypto/md5"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// messages returns texts of all lengths from 0 to n-1, and what md5 says of them.
func messages(n int) (texts []string, refs []uint64) {
	random := rand.New(rand.NewPCG(1, 2))
	for length := range n {
		text := make([]byte, length)
		for i := range text {
			text[i] = byte(random.Uint32())
		}
		sum := md5.Sum(text)
		texts, refs = append(texts, string(text)), append(refs, binary.LittleEndian.Uint64(sum[:]))
	}
	return texts, refs
}

func TestNameRef(t *testing.T) {
	texts, refs := messages(1000)
	for i, text := range texts {
		if got := disk.NameRef(text); got != refs[i] {
			t.Errorf("%d bytes: %016x, want %016x", i, got, refs[i])
		}
	}
}

// The two that are hashed at once may differ in their numbers of blocks.
func TestNameRefsOfAllPairs(t *testing.T) {
	texts, refs := messages(300)
	var got [2]uint64
	for i, x := range texts {
		for j, y := range texts {
			if disk.NameRefs([]string{x, y}, got[:]); got != [2]uint64{refs[i], refs[j]} {
				t.Fatalf("%d and %d bytes: %016x, want %016x and %016x", i, j, got, refs[i], refs[j])
			}
		}
	}
}

func TestManyIDs(t *testing.T) {
	texts, refs := messages(7)
	for n := range texts {
		got := make([]uint64, n+1)
		disk.NameRefs(texts[:n], got)
		for _, d := range []layout.Domain{layout.DomainLLVMIR, layout.DomainHotSpot} {
			keys, ids := make([]layout.Key, n), make([]uint64, n+1)
			for i := range keys {
				keys[i] = layout.Key{Name: texts[i]}
			}
			disk.KeyIDs(keys, d, ids)
			for i, k := range keys {
				if got[i] != refs[i] || ids[i] != k.ID(d) {
					t.Errorf("%d of %d in %s: %016x and %016x, want %016x and %016x", i, n, d, got[i], ids[i], refs[i], k.ID(d))
				}
			}
			if got[n] != 0 || ids[n] != 0 {
				t.Errorf("%d in %s: one more was written", n, d)
			}
		}
	}
}

func BenchmarkNameRef(b *testing.B) {
	const name = "_ZN4core3ops8function6FnOnce9call_onceE"
	names, refs := []string{name, name}, make([]uint64, 2)
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			refs[0] = disk.NameRef(name)
		}
	})
	b.Run("two", func(b *testing.B) {
		for b.Loop() {
			disk.NameRefs(names, refs)
		}
	})
	b.Run("crypto/md5", func(b *testing.B) {
		for b.Loop() {
			sum := md5.Sum([]byte(name))
			refs[0] = binary.LittleEndian.Uint64(sum[:])
		}
	})
}
