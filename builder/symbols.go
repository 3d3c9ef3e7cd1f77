package builder

import (
	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
)

// symbols interns texts and numbers them from 1. Millions of names are the most
// of what a builder looks up: the table has no pointers for the garbage
// collector to follow, keeps part of each hash beside the number, so that a
// text is read only where it is likely the one, and tries the number behind
// the last one first, since runs of one program mostly name things in one order.
type symbols struct {
	texts  arena
	places list[place]
	slots  []symbolSlot // as many as a power of two
	last   SymbolRef    // that was asked for
}

type symbolSlot struct {
	hash uint32
	ref  SymbolRef // 0 if the slot is free
}

func (t *symbols) len() int { return t.places.len() }

// text is the text of a symbol that the table has.
func (t *symbols) text(s SymbolRef) string {
	return layout.Text(t.texts.at(*t.places.at(uint32(s))))
}

// intern gives the number of a text, and whether it is new.
func intern[T string | []byte](t *symbols, text T) (s SymbolRef, fresh bool) {
	if next := t.last + 1; int(next) <= t.len() && t.text(next) == string(text) {
		t.last = next
		return next, false
	}
	if t.len() >= len(t.slots)/4*3 {
		t.grow()
	}
	hash, mask := hashOf(text), uint32(len(t.slots)-1)
	at := t.first(hash)
	for ; t.slots[at].ref != 0; at = (at + 1) & mask {
		if slot := t.slots[at]; slot.hash == hash && t.text(slot.ref) == string(text) {
			t.last = slot.ref
			return slot.ref, false
		}
	}
	t.last = SymbolRef(t.places.add(t.texts.keep([]byte(text))))
	t.slots[at] = symbolSlot{hash, t.last}
	return t.last, true
}

func hashOf[T string | []byte](text T) uint32 {
	if b, ok := any(text).([]byte); ok {
		return uint32(xxhash.Sum64(b))
	}
	return uint32(xxhash.Sum64String(string(text)))
}

// first is the slot at which the search for a hash begins: by its highest bits,
// so that a table twice as large has its slots in the same order.
func (t *symbols) first(hash uint32) uint32 {
	return uint32(uint64(hash) * uint64(len(t.slots)) >> 32)
}

// firstSlots is the number of slots of a small table.
const firstSlots = 1 << 8

// grow makes room for more texts.
func (t *symbols) grow() {
	old := t.slots
	t.slots = make([]symbolSlot, max(2*len(old), firstSlots))
	mask := uint32(len(t.slots) - 1)
	for _, slot := range old {
		if slot.ref == 0 {
			continue
		}
		at := t.first(slot.hash)
		for t.slots[at].ref != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = slot
	}
}
