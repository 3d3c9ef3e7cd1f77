package builder

import (
	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/refindex"
	"github.com/profarc/profarc/internal/words"
)

// symbols interns texts and numbers them from 1. It tries the number behind the
// last one first, since runs of one program mostly name things in one order.
type symbols struct {
	texts  arena
	places list[place]
	index  refindex.Index
	last   SymbolRef // that was asked for

	presorted []SymbolRef // the first symbols, by bytes; see SortSymbols

	// byNameRef: texts are found by their NameRef. Each function of LLVM needs its
	// own anyway, and the tables in LLVM's files are in the order of its low bits.
	byNameRef bool

	touched uint64 // see touchGroup
}

// symbolsState is what a table of symbols held.
type symbolsState struct {
	symbols   int
	texts     arenaState
	last      SymbolRef
	presorted []SymbolRef
}

func (t *symbols) state() symbolsState {
	return symbolsState{t.len(), t.texts.state(), t.last, t.presorted}
}

// restore drops what was interned since.
func (t *symbols) restore(s symbolsState) {
	t.last, t.presorted = s.last, s.presorted
	if t.len() > s.symbols {
		t.places.truncate(s.symbols)
		t.texts.restore(s.texts)
		t.index.Truncate(uint32(s.symbols))
	}
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
	return words.String(t.texts.at(*t.places.at(uint32(s))))
}

// intern gives the number of a text, and whether it is new.
func (t *symbols) intern(text string) (s SymbolRef, fresh bool) {
	if s = t.next(text); s != 0 {
		return s, false
	}
	return t.internHashed(text, t.hash(text))
}

// next gives the number of the text behind the last one, or of the last one
// again, if it is that.
func (t *symbols) next(text string) SymbolRef {
	if next := t.last + 1; int(next) <= t.len() && t.text(next) == text {
		t.last = next
		return next
	}
	if t.last != 0 && t.text(t.last) == text {
		return t.last
	}
	return 0
}

func (t *symbols) internHashed(text string, hash uint32) (s SymbolRef, fresh bool) {
	ref, at := t.index.Find(hash, func(ref uint32) bool { return t.text(SymbolRef(ref)) == text })
	if fresh = ref == 0; fresh {
		ref = t.places.add(t.texts.keep([]byte(text)))
		t.index.Put(at, hash, ref)
	}
	t.last = SymbolRef(ref)
	return t.last, fresh
}

// find gives the number of a text, 0 if it is not in the table.
func (t *symbols) find(text string) SymbolRef {
	ref, _ := t.index.Find(t.hash(text), func(ref uint32) bool { return t.text(SymbolRef(ref)) == text })
	return SymbolRef(ref)
}

// hash is what a text is found by.
func (t *symbols) hash(text string) uint32 {
	if t.byNameRef {
		return uint32(disk.NameRef(text))
	}
	return uint32(xxhash.Sum64String(text))
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
