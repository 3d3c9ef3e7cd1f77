package llvm

import (
	"cmp"
	"slices"
)

// sortAsDenseMap brings the function hashes of one name into the order in which
// llvm-profdata writes them: that of its map from hash to record, which has
// four buckets in itself and 64 or more beyond. They are inserted in ascending
// order, so that of two that meet in one bucket the record without a calling
// context comes first. Any order is understood by readers.
func sortAsDenseMap(records []record) {
	if len(records) < 2 {
		return
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.hash, b.hash) })
	m := denseMap{slots: make([]int, inlineSlots), records: records}
	for i := range records {
		if 4*(i+1) >= 3*len(m.slots) {
			m.grow()
		}
		m.insert(i + 1)
	}
	ordered := make([]record, 0, len(records))
	for _, n := range m.slots {
		if n != 0 {
			ordered = append(ordered, records[n-1])
		}
	}
	copy(records, ordered)
}

const (
	inlineSlots = 4
	heapSlots   = 64
)

// A denseMap has numbers of records, from 1, where LLVM's has hashes.
type denseMap struct {
	slots   []int // 0 is an empty one
	records []record
}

// insert probes quadratically.
func (m *denseMap) insert(n int) {
	mask := len(m.slots) - 1
	at := int(mixHash(m.records[n-1].hash)) & mask
	for step := 1; m.slots[at] != 0; step++ {
		at = (at + step) & mask
	}
	m.slots[at] = n
}

func (m *denseMap) grow() {
	old := m.slots
	m.slots = make([]int, max(heapSlots, 2*len(old)))
	for _, n := range old {
		if n != 0 {
			m.insert(n)
		}
	}
}

// mixHash is the map's hash of a function hash, since LLVM 19.
func mixHash(h uint64) uint32 {
	h *= 0xbf58476d1ce4e5b9
	return uint32(h ^ h>>31)
}
