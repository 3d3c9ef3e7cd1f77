package relocate

import (
	"testing"

	"pgregory.net/rapid"
)

// Matches accepts the slots that Slots yields, bit by bit, and no others.
func TestMatchesIsSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const rwSize = 3*chunkSize - 800
		m := mapOf(t, rwSize, slotSets(rwSize).Draw(t, "slots"))
		from := rapid.Int64Range(0, rwSize/8-1).Draw(t, "from") * 8
		to := rapid.Int64Range(from/8+1, rwSize/8).Draw(t, "to") * 8
		first := from / 8 &^ 63
		want := make([]uint64, (to/8-first+63)/64)
		for _, at := range collect(t, m, from, to) {
			want[(at/8-first)/64] |= 1 << (at / 8 % 64)
		}
		check := func(expected bool) {
			if same, err := m.Matches(from, to, want); same != expected || err != nil {
				t.Fatalf("[%d, %d): %v, want %v, %v", from, to, same, expected, err)
			}
		}
		check(true)
		other := rapid.Int64Range(from/8, to/8-1).Draw(t, "other")
		want[(other-first)/64] ^= 1 << (other % 64)
		check(false)
		want[(other-first)/64] ^= 1 << (other % 64)
		want[0] |= 1<<(from/8%64) - 1 // words before the range do not count
		check(true)
	})
}
