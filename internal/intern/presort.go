package intern

import (
	"slices"
	"strings"
)

// Snapshot is the texts of all symbols, which nothing changes that is added.
func (t *Symbols) Snapshot() *Symbols {
	s := &Symbols{Texts: t.Texts, places: t.places}
	s.Texts.slabs = slices.Clone(t.Texts.slabs)
	s.places.chunks = slices.Clone(t.places.chunks)
	return s
}

// fewFresh is how many times as many symbols must have been sorted before for the
// others to be put between them.
const fewFresh = 1 << 6

// Sorted gives all symbols, sorted by bytes.
func (t *Symbols) Sorted(sorter *Sorter) []SymbolRef {
	fresh := t.Len() - len(t.Presorted)
	if fresh > len(t.Presorted)/fewFresh {
		return t.SortedAnew(sorter)
	}
	return t.between(t.Presorted, fresh)
}

// between puts the last few symbols between all others, which are sorted.
func (t *Symbols) between(others []SymbolRef, fresh int) []SymbolRef {
	last := make([]SymbolRef, fresh)
	for i := range last {
		last[i] = SymbolRef(len(others) + i + 1)
	}
	byText := func(x, y SymbolRef) int { return strings.Compare(t.Text(x), t.Text(y)) }
	slices.SortFunc(last, byText)
	all := make([]SymbolRef, 0, t.Len())
	for _, s := range last {
		at, _ := slices.BinarySearchFunc(others, s, byText)
		all = append(append(all, others[:at]...), s)
		others = others[at:]
	}
	return append(all, others...)
}
