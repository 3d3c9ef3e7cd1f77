package llvm

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/reader"
)

// Whatever the bytes of an archive are, writing it ends, with an error or without, and nothing panics.
func TestDamagedArchivesAreWrittenOrRefused(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	b := manyFunctions(t, 12)
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for range 1000 {
		damaged := append([]byte(nil), data...)
		for range 1 + rng.IntN(3) {
			damaged[rng.IntN(len(damaged))] ^= byte(1 << rng.IntN(8))
		}
		m, err := archive.FromBytes("damaged.parc", damaged, archive.Options{Unchecked: true})
		if err != nil {
			continue
		}
		s := reader.New(m)
		_, indexed := WriteIndexed(io.Discard, s, WriteOptions{Version: WrittenNewest, KeepVTableNames: true})
		_, text := WriteText(io.Discard, s, WriteOptions{Sparse: true})
		_, _, summary := Summarize(s)
		for _, err := range []error{indexed, text, summary} {
			if err != nil {
				refused++
			}
		}
		s.Close()
	}
	if refused == 0 {
		t.Error("no damage was seen")
	}
}
