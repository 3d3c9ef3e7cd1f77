package disk

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever stands in a line, Match gives the slots that hold the fingerprint, and
// Put takes the first that is free.
func TestLineSlots(t *testing.T) {
	print := rapid.Uint16Range(0, 3) // collisions are likely
	rapid.Check(t, func(t *rapid.T) {
		line := Line(make([]byte, LineSize))
		copy(line, rapid.SliceOfN(rapid.Byte(), LineSize, LineSize).Draw(t, "line"))
		for i := range LineSlots {
			if rapid.Bool().Draw(t, "small") {
				le.PutUint16(line[2*i:], print.Draw(t, "print"))
			}
		}
		wanted, want := rapid.OneOf(print, rapid.Uint16()).Draw(t, "wanted"), uint32(0)
		free := -1
		for i := LineSlots - 1; i >= 0; i-- {
			if le.Uint16(line[2*i:]) == wanted {
				want |= 1 << i
			}
			if le.Uint16(line[2*i:]) == 0 {
				free = i
			}
		}
		if got := line.Match(wanted); got != want {
			t.Fatalf("fingerprint %d in % x: slots %b, want %b", wanted, line[:2*LineSlots], got, want)
		}
		if took := line.Put(Hash(7), 9); took != (free >= 0) || took && (line.Record(free) != 9 || le.Uint16(line[2*free:]) != Hash(7).Fingerprint()) {
			t.Fatalf("put: %t, slot %d is free", took, free)
		}
	})
}
