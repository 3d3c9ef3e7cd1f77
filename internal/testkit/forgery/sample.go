package forgery

import (
	"hash/fnv"
	"math/rand/v2"
	"os"

	"github.com/profarc/profarc/internal/file/disk"
)

// OneIn returns a function that pseudorandomly selects one of n changes. The selection depends only on name. If
// PROFARC_EXHAUSTIVE is set, it selects all changes.
func OneIn(n int, name string) (pick func() bool) {
	if n <= 1 || os.Getenv("PROFARC_EXHAUSTIVE") != "" {
		return func() bool { return true }
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 0))
	return func() bool { return r.IntN(n) == 0 }
}

// Each calls yield with forgeries of a sound archive that pick selects. It first changes each reference and then each
// word. The arguments of yield are valid during the call.
func Each(data []byte, pick func() bool, yield func(f *Forger, r Reference, value uint64)) error {
	f, err := New(data)
	if err != nil {
		return err
	}
	references, err := References(data)
	if err != nil {
		return err
	}
	for _, r := range references {
		for value := range f.Values(r) {
			if pick() {
				f.Set(r, value)
				yield(f, r, value)
			}
		}
	}
	for _, r := range f.words() {
		for _, value := range f.numbers(r) {
			if pick() {
				f.Set(r, value)
				yield(f, r, value)
			}
		}
	}
	return nil
}

// words returns each u32 after the page checksums as a reference.
func (f *Forger) words() (all []Reference) {
	for r := disk.ChecksummedSpan(f.h).Offset; r < f.h.FileSize; r += 4 {
		if !f.isSkipped(r) {
			all = append(all, Reference{What: "word of " + disk.RegionAt(f.h, r).String(), At: r, Form: Narrow})
		}
	}
	return all
}

// numbers returns values for a word that is a number, a size or flags.
func (f *Forger) numbers(r Reference) []uint64 {
	f.Undo()
	old := uint64(le.Uint32(f.data[r.At:]))
	values := []uint64{0, 1, old + 1, old - 1, 2 * old, 1<<31 - 1, 1<<32 - 1, old ^ 1<<31}
	for bit := range 24 {
		values = append(values, old^1<<bit)
	}
	return values
}
