package builder

import (
	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/refindex"
	"github.com/profarc/profarc/layout"
)

// symbols interns texts and numbers them from 1. It tries the number behind the
// last one first, since runs of one program mostly name things in one order.
type symbols struct {
	texts  arena
	places list[place]
	index  refindex.Index
	last   SymbolRef // that was asked for

	touched uint64 // see touchGroup
}

func (t *symbols) len() int { return t.places.len() }

// place is where the text of a symbol is kept, nowhere for none.
func (t *symbols) place(s SymbolRef) place {
	if s == 0 {
		return place{}
	}
	return *t.places.at(uint32(s))
}

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
	hash := hashOf(text)
	ref, at := t.index.Find(hash, func(ref uint32) bool { return t.text(SymbolRef(ref)) == string(text) })
	if fresh = ref == 0; fresh {
		ref = t.places.add(t.texts.keep([]byte(text)))
		t.index.Put(at, hash, ref)
	}
	t.last = SymbolRef(ref)
	return t.last, fresh
}

func hashOf[T string | []byte](text T) uint32 {
	if b, ok := any(text).([]byte); ok {
		return uint32(xxhash.Sum64(b))
	}
	return uint32(xxhash.Sum64String(string(text)))
}

// touch touches the texts of symbols, as many as there are in a few groups; what
// is no symbol is passed over. See touchGroup.
func (t *symbols) touch(group []uint32) {
	var places [2 * touchGroup]place
	for i, s := range group {
		if t.places.has(s) {
			places[i] = *t.places.at(s)
		}
	}
	for _, at := range places[:len(group)] {
		t.touched += uint64(firstByte(t.texts.at(at)))
	}
}
