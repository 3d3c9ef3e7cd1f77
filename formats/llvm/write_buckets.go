package llvm

import "math/bits"

// A chainedTable gives items the places that LLVM's generator of on-disk hash
// tables gives them. Where an item lies follows from the order of insertion and
// from every doubling on the way, so that only doing the same gives the same
// bytes.
type chainedTable struct {
	heads []int32 // by bucket: the first item of its chain, noItem if it is empty
	next  []int32 // by item: the one behind it
}

const (
	noItem         = -1
	initialBuckets = 64
)

// chain inserts items 0 to len(hashes)-1, in this order, and brings the table
// to its final size. Items that are laid out stay in their order in each chain.
func chain(hashes []uint64, laid bool) *chainedTable {
	t := &chainedTable{heads: emptyHeads(initialBuckets), next: make([]int32, len(hashes))}
	if laid {
		t.heads = emptyHeads(finalBuckets(len(hashes)))
		for i := len(hashes) - 1; i >= 0; i-- {
			t.insert(int32(i), hashes)
		}
		return t
	}
	for i := range hashes {
		if 4*(i+1) >= 3*len(t.heads) {
			t.resize(2*len(t.heads), hashes)
		}
		t.insert(int32(i), hashes)
	}
	if n := finalBuckets(len(hashes)); n != len(t.heads) {
		t.resize(n, hashes)
	}
	return t
}

// each goes through the items in the order in which they are written.
func (t *chainedTable) each(yield func(item int32) error) error {
	for _, item := range t.heads {
		for ; item != noItem; item = t.next[item] {
			if err := yield(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// finalBuckets is how many buckets the table of so many items is written with.
func finalBuckets(items int) int {
	if items <= 2 {
		return 1
	}
	return 1 << bits.Len(uint(items*4/3))
}

func emptyHeads(n int) []int32 {
	heads := make([]int32, n)
	for i := range heads {
		heads[i] = noItem
	}
	return heads
}

// insert puts an item at the head of its bucket's chain.
func (t *chainedTable) insert(item int32, hashes []uint64) {
	bucket := hashes[item] & uint64(len(t.heads)-1)
	t.next[item], t.heads[bucket] = t.heads[bucket], item
}

// resize moves the items, chain by chain, into a table of n buckets.
func (t *chainedTable) resize(n int, hashes []uint64) {
	old := t.heads
	t.heads = emptyHeads(n)
	for _, item := range old {
		for item != noItem {
			next := t.next[item]
			t.insert(item, hashes)
			item = next
		}
	}
}
