package builder

import (
	"slices"
	"strings"
)

// SortSymbols sorts the symbols that the builder has so far, so that Commit has
// little left to sort. It may be called beside whatever adds to the builder: to
// know all names takes less than to have all profiles.
func (b *Builder) SortSymbols() {
	b.mu.Lock()
	have, era := b.symbols.snapshot(), b.era
	b.mu.Unlock()
	var sorter keySorter
	sorted := have.sortedAnew(&sorter)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.era == era {
		b.symbols.presorted = sorted
	}
}

// snapshot is the texts of all symbols, which nothing changes that is added.
func (t *symbols) snapshot() *symbols {
	s := &symbols{texts: t.texts, places: t.places}
	s.texts.slabs = slices.Clone(t.texts.slabs)
	s.places.chunks = slices.Clone(t.places.chunks)
	return s
}

// fewFresh is how many times as many symbols must have been sorted before for the
// others to be put between them.
const fewFresh = 1 << 6

// sorted gives all symbols, sorted by bytes.
func (t *symbols) sorted(sorter *keySorter) []SymbolRef {
	fresh := t.len() - len(t.presorted)
	if fresh > len(t.presorted)/fewFresh {
		return t.sortedAnew(sorter)
	}
	return t.between(t.presorted, fresh)
}

// between puts the last few symbols between all others, which are sorted.
func (t *symbols) between(others []SymbolRef, fresh int) []SymbolRef {
	last := make([]SymbolRef, fresh)
	for i := range last {
		last[i] = SymbolRef(len(others) + i + 1)
	}
	byText := func(x, y SymbolRef) int { return strings.Compare(t.text(x), t.text(y)) }
	slices.SortFunc(last, byText)
	all := make([]SymbolRef, 0, t.len())
	for _, s := range last {
		at, _ := slices.BinarySearchFunc(others, s, byText)
		all = append(append(all, others[:at]...), s)
		others = others[at:]
	}
	return append(all, others...)
}
