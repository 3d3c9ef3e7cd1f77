package llvm

import "slices"

// sortAsDenseMap brings the function hashes of one name into the order in which
// llvm-profdata writes them: that of its map from hash to record, which has
// four buckets in itself and 64 or more beyond. They are inserted in ascending
// order, so that of two that meet in one bucket the record without a calling
// context comes first. Any order is understood by readers.
func sortAsDenseMap[T any](records []T, hash func(*T) uint64) {
	if len(records) < 2 {
		return
	}
	slices.SortFunc(records, func(a, b T) int {
		if hash(&a) < hash(&b) {
			return -1
		}
		return 1
	})
	m := denseMap[T]{slots: make([]*T, inlineSlots), hash: hash}
	for i := range records {
		if 4*(i+1) >= 3*len(m.slots) {
			m.grow()
		}
		m.insert(&records[i])
	}
	ordered := make([]T, 0, len(records))
	for _, r := range m.slots {
		if r != nil {
			ordered = append(ordered, *r)
		}
	}
	copy(records, ordered)
}

const (
	inlineSlots = 4
	heapSlots   = 64
)

type denseMap[T any] struct {
	slots []*T
	hash  func(*T) uint64
}

// insert probes quadratically.
func (m *denseMap[T]) insert(r *T) {
	mask := len(m.slots) - 1
	at := int(mixHash(m.hash(r))) & mask
	for step := 1; m.slots[at] != nil; step++ {
		at = (at + step) & mask
	}
	m.slots[at] = r
}

func (m *denseMap[T]) grow() {
	old := m.slots
	m.slots = make([]*T, max(heapSlots, 2*len(old)))
	for _, r := range old {
		if r != nil {
			m.insert(r)
		}
	}
}

// mixHash is the map's hash of a function hash, since LLVM 19.
func mixHash(h uint64) uint32 {
	h *= 0xbf58476d1ce4e5b9
	return uint32(h ^ h>>31)
}
