package builder

import (
	"strings"

	"github.com/cespare/xxhash/v2"
)

// symbols interns texts and numbers them from 1. Millions of names are the most
// of what a builder looks up: the table has no pointers for the garbage
// collector to follow, keeps part of each hash beside the number, so that a
// text is read only where it is likely the one, and tries the number behind
// the last one first, since runs of one program mostly name things in one order.
type symbols struct {
	slabs  []*strings.Builder // the texts
	places []place            // by SymbolRef-1
	slots  []symbolSlot       // as many as a power of two
	last   SymbolRef          // that was asked for
}

type symbolSlot struct {
	hash uint32
	ref  SymbolRef // 0 if the slot is free
}

func (t *symbols) len() int { return len(t.places) }

// text is the text of a symbol that the table has.
func (t *symbols) text(s SymbolRef) string {
	p := t.places[s-1]
	return t.slabs[p.slab-1].String()[p.offset : p.offset+p.size]
}

// intern gives the number of a text, and whether it is new.
func intern[T string | []byte](t *symbols, text T) (s SymbolRef, fresh bool) {
	if next := t.last + 1; int(next) <= len(t.places) && t.text(next) == string(text) {
		t.last = next
		return next, false
	}
	if len(t.places) >= len(t.slots)/4*3 {
		t.grow()
	}
	hash, mask := hashOf(text), uint64(len(t.slots)-1)
	at := hash & mask
	for ; t.slots[at].ref != 0; at = (at + 1) & mask {
		if slot := t.slots[at]; slot.hash == uint32(hash>>32) && t.text(slot.ref) == string(text) {
			t.last = slot.ref
			return slot.ref, false
		}
	}
	t.places = append(t.places, keepText(t, text))
	t.last = SymbolRef(len(t.places))
	t.slots[at] = symbolSlot{uint32(hash >> 32), t.last}
	return t.last, true
}

func hashOf[T string | []byte](text T) uint64 {
	if b, ok := any(text).([]byte); ok {
		return xxhash.Sum64(b)
	}
	return xxhash.Sum64String(string(text))
}

// firstSlots is the number of slots of a small table.
const firstSlots = 1 << 8

// grow makes room for more texts.
func (t *symbols) grow() {
	slots := make([]symbolSlot, max(2*len(t.slots), firstSlots))
	mask := uint64(len(slots) - 1)
	for i := range t.places {
		s := SymbolRef(i + 1)
		hash := xxhash.Sum64String(t.text(s))
		at := hash & mask
		for slots[at].ref != 0 {
			at = (at + 1) & mask
		}
		slots[at] = symbolSlot{uint32(hash >> 32), s}
	}
	t.slots = slots
}

// keepText copies a text.
func keepText[T string | []byte](t *symbols, text T) place {
	if n := len(t.slabs); n == 0 || len(text) > t.slabs[n-1].Cap()-t.slabs[n-1].Len() {
		slab := &strings.Builder{}
		slab.Grow(nextSlab(n, len(text)))
		t.slabs = append(t.slabs, slab)
	}
	slab := t.slabs[len(t.slabs)-1]
	at := place{uint32(len(t.slabs)), uint32(slab.Len()), uint32(len(text))}
	slab.Write([]byte(text))
	return at
}
