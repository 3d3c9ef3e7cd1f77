package llvm

import (
	"slices"
	"testing"
)

// Items whose hashes share a first slot get the slots that a search from the start finds, and each slot is read about
// once for all of them.
func TestItemsWithOneHashTakeLinearWork(t *testing.T) {
	t.Parallel()
	const n = 50_000
	asked := 0
	m := probedMap{slots: make([]int32, 1<<17), full: map[uint64]uint64{}, hash: func(item int32) uint32 {
		asked++
		return uint32(item % 2)
	}}
	want := make([]int32, len(m.slots))
	searches := [2]int{}
	for item := range int32(n) {
		m.insertItem(item)
		at, step := int(item%2), 0
		for step < searches[item%2] || want[at] != 0 { // what LLVM does, without the full slots before
			step++
			at = (int(item%2) + step*(step+1)/2) % len(want)
		}
		searches[item%2] = step
		want[at] = item + 1
	}
	if !slices.Equal(m.slots, want) {
		t.Error("items are not in LLVM's slots")
	}
	if asked != n || m.full[0] < n/2 || m.full[1] < n/2 {
		t.Errorf("hashes read %d times, and %v slots skipped", asked, m.full)
	}
}
