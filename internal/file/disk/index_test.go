package disk

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/layout"
)

// A line finds every record that it was filled with, at the place that it was given,
// and no slot is used twice.
func TestFilledLineFindsItsRecords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const lines = 3
		hash := rapid.Custom(func(t *rapid.T) Hash {
			if rapid.Bool().Draw(t, "alike") {
				return Hash(rapid.Uint64Range(0, 3).Draw(t, "hash")) // of one slot
			}
			return Hash(rapid.Uint64().Draw(t, "hash"))
		})
		var slots []Slot
		for i, h := range rapid.SliceOfN(hash, 0, LineSlots).Draw(t, "hashes") {
			_, rest := h.SplitBucket(lines)
			slots = append(slots, Slot{h, rest, layout.Ref(i + 1)})
		}
		line := Line(make([]byte, LineSize))
		line.StoreSlots(slots)
		if !line.Valid() {
			t.Fatalf("an impossible line % x", line)
		}
		for _, s := range slots {
			if !offers(line, s) {
				t.Fatalf("record %d of hash %x is not found in % x", s.Ref, uint64(s.Hash), line)
			}
			word, fingerprint := le.Uint32(line[LineWord:]), le.Uint16(line[2*SlotOf(le.Uint32(line[LineWord:]), s.Rest):])
			if fingerprint != s.Hash.Fingerprint() && NotInLine(word, s.Hash) {
				t.Fatalf("record %d of hash %x is taken for missing in % x", s.Ref, uint64(s.Hash), line)
			}
		}
		used := 0
		for i := range LineSlots {
			if line.Record(i) != 0 {
				used++
			}
		}
		if used != len(slots) {
			t.Fatalf("%d slots in use for %d records", used, len(slots))
		}
	})
}

func offers(line Line, s Slot) bool {
	for i := range LineSlots {
		if line.Candidates(s.Hash, s.Rest)>>i&1 != 0 && line.Record(i) == s.Ref {
			return true
		}
	}
	return false
}

// Most records lie in their own slots: a lookup then reads one.
func TestOwnSlots(t *testing.T) {
	t.Parallel()
	const lines = 1000
	own, all := 0, 0
	for n := range uint64(lines) {
		var slots []Slot
		for i := range uint64(5) {
			h := MixHash(n*5+i, KindMethod, 0)
			_, rest := h.SplitBucket(lines)
			slots = append(slots, Slot{h, rest, layout.Ref(i + 1)})
		}
		line := Line(make([]byte, LineSize))
		line.StoreSlots(slots)
		for _, s := range slots {
			if all++; line.Record(line.OwnSlot(s.Rest)) == s.Ref {
				own++
			}
		}
	}
	if own*100 < all*99 {
		t.Errorf("%d of %d records of half full lines lie in their own slots", own, all)
	}
}

func TestOverflow(t *testing.T) {
	t.Parallel()
	line := Line(make([]byte, LineSize))
	h := Hash(9<<16 | 5)
	if line.Overflowed(h) {
		t.Error("an empty line has overflowed")
	}
	line.SetOverflow(h)
	if !line.Overflowed(h) || line.Overflowed(10<<16|5) {
		t.Errorf("overflow of % x", []byte(line))
	}
	if NotInLine(binary.LittleEndian.Uint32(line[LineWord:]), h) {
		t.Error("a record that passed the line is taken for missing")
	}
}
