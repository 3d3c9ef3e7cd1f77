package refindex

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// References in the order of a table of the same hashes fill a part of a smaller table
// twice before it grows. Searches stay short for all sizes.
func TestSearchesStayShortInTheOrderOfATable(t *testing.T) {
	t.Parallel()
	for _, n := range []int{30_000, 40_000, 48_000} { // of 1<<16 slots
		random := rand.New(rand.NewPCG(1, uint64(n)))
		hashes := make([]uint32, n)
		for i := range hashes {
			hashes[i] = random.Uint32()
		}
		slices.SortFunc(hashes, func(x, y uint32) int { return cmp.Compare(uint16(x), uint16(y)) })
		var x Index
		longest := uint32(0)
		for i, hash := range hashes {
			ref, at := x.Find(hash, func(uint32) bool { return false })
			if ref != 0 {
				t.Fatal("found what is not there")
			}
			longest = max(longest, (at-hash)&uint32(len(x.slots)-1))
			x.Put(at, hash, uint32(i+1))
		}
		if longest > 300 {
			t.Errorf("%d references: a search of %d slots", n, longest)
		}
	}
}
