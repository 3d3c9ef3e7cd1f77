package disk_test

import (
	"crypto/md5"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
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

func BenchmarkNameRef(b *testing.B) {
	const name = "_ZN4core3ops8function6FnOnce9call_onceE"
	var ref uint64
	_ = ref
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			ref = disk.NameRef(name)
		}
	})
	b.Run("crypto/md5", func(b *testing.B) {
		for b.Loop() {
			sum := md5.Sum([]byte(name))
			ref = binary.LittleEndian.Uint64(sum[:])
		}
	})
}
