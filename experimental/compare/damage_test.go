package compare_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestDamagedArchives checks that archives with wrong bytes and correct checksums give a report or an error.
func TestDamagedArchives(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, s := range specimen.All() {
		whole, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		reports := 0
		for range 400 {
			damaged := words.AlignedBytes(len(whole))
			copy(damaged, whole)
			damaged[place(random, damaged)] ^= byte(1 << random.IntN(8))
			disk.UpdateChecksum(damaged)
			if compared(t, whole, damaged) && compared(t, damaged, whole) {
				reports++
			}
		}
		if reports == 0 {
			t.Errorf("%s: nothing was compared", s.Name)
		}
	}
}

func compared(t *testing.T, a, b []byte) bool {
	t.Helper()
	var stores []*reader.Store
	for _, data := range [][]byte{a, b} {
		m, err := archive.FromBytes("damaged.parc", slices.Clone(data), archive.Options{Unchecked: true})
		if err != nil {
			return false
		}
		s := reader.New(m)
		defer s.Close()
		stores = append(stores, s)
	}
	_, err := compare.Stores(t.Context(), stores[0], stores[1], compare.Options{Top: 100})
	return err == nil
}

// place returns the offset of a byte to change, outside the zeros before the rw region.
func place(random *rand.Rand, b []byte) int {
	h, err := disk.ParseHeader(b[:disk.HeaderSize], int64(len(b)))
	if err != nil {
		return random.IntN(disk.HeaderSize)
	}
	span := disk.RegionOf(h, layout.Region(random.IntN(disk.NumRegions+1)))
	if span.Size == 0 {
		return random.IntN(disk.HeaderSize)
	}
	return int(span.Offset + random.Int64N(span.Size))
}
