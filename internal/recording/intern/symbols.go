// Package intern stores and sorts strings and other values by the million.
//
// Values are stored in a few large pieces of memory without pointers, and are numbered from 1. Strings are sorted by
// radix, eight bytes at a time.
package intern

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/file/words"
)

// A SymbolRef is the number of an interned string. 0 refers to nothing.
type SymbolRef uint32

// Symbols interns strings and numbers them from 1. It tries the number after the last one first, since runs of one
// program mostly name things in the same order.
type Symbols struct {
	Texts  spill.Store
	places List[spill.Place]
	Index  refindex.Index
	Last   SymbolRef // result of the last lookup

	// ByNameRef selects NameRef as the hash of strings, until the index is crowded. LLVM functions need it anyway, and
	// order tables by it.
	ByNameRef bool
	keyed     bool // after ByNameRef
}

type SymbolsState struct {
	symbols int
	texts   spill.State
	last    SymbolRef
}

func (t *Symbols) State() SymbolsState {
	return SymbolsState{t.Len(), t.Texts.State(), t.Last}
}

func (t *Symbols) Restore(s SymbolsState) {
	t.Last = s.last
	if t.Len() > s.symbols {
		t.places.Truncate(s.symbols)
		t.Texts.Restore(s.texts)
		t.Index.Truncate(uint32(s.symbols))
	}
}

func (t *Symbols) Len() int { return t.places.Len() }

// Place returns the location in Texts of a symbol's string, or nowhere for 0.
func (t *Symbols) Place(s SymbolRef) spill.Place {
	if s == 0 {
		return spill.Place{}
	}
	return *t.places.At(uint32(s))
}

// Text returns the string of a symbol, which must not be 0.
func (t *Symbols) Text(s SymbolRef) string {
	return words.StringOf(t.Texts.Memory(*t.places.At(uint32(s))))
}

func (t *Symbols) Intern(text string) (s SymbolRef, fresh bool) {
	s = t.Next(text)
	if s != 0 {
		return s, false
	}
	return t.InternHashed(text, t.Hash(text))
}

// Next returns the number of text if it is the symbol after the last one or the last one again, else 0.
func (t *Symbols) Next(text string) SymbolRef {
	if next := t.Last + 1; int(next) <= t.Len() && t.Text(next) == text {
		t.Last = next
		return next
	}
	if t.Last != 0 && t.Text(t.Last) == text {
		return t.Last
	}
	return 0
}

// InternHashed is like Intern. The caller has computed the hash, which is ignored once the index is not by NameRef.
func (t *Symbols) InternHashed(text string, hash uint32) (s SymbolRef, fresh bool) {
	if t.ByNameRef && t.Index.Crowded {
		t.leaveNameRefs()
	}
	if t.keyed {
		hash = t.Hash(text)
	}
	ref, at := t.Index.Find(hash, func(ref uint32) bool { return t.Text(SymbolRef(ref)) == text })
	fresh = ref == 0
	if fresh {
		ref = t.places.Add(t.Texts.Keep([]byte(text)))
		t.Index.Put(at, hash, ref)
	}
	t.Last = SymbolRef(ref)
	return t.Last, fresh
}

func (t *Symbols) Find(text string) SymbolRef {
	ref, _ := t.Index.Find(t.Hash(text), func(ref uint32) bool { return t.Text(SymbolRef(ref)) == text })
	return SymbolRef(ref)
}

func (t *Symbols) Hash(text string) uint32 {
	if t.ByNameRef {
		return uint32(disk.NameRef(text))
	}
	return refindex.HashKey(text)
}

// leaveNameRefs inserts all symbols again by keyed hashes. Names whose NameRefs collide in an index are easily found.
func (t *Symbols) leaveNameRefs() {
	t.ByNameRef = false
	t.keyed = true
	t.Index.Truncate(0)
	for ref := range t.places.All {
		hash := t.Hash(t.Text(SymbolRef(ref)))
		_, at := t.Index.Find(hash, func(uint32) bool { return false })
		t.Index.Put(at, hash, ref)
	}
}
