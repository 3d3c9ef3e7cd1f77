package intern

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/file/words"
)

// A SymbolRef is the number of an interned text; 0 is none.
type SymbolRef uint32

// Symbols interns texts and numbers them from 1. It tries the number after the last
// one first, since runs of one program mostly name things in the same order.
type Symbols struct {
	Texts  Arena
	places List[Place]
	Index  refindex.Index
	Last   SymbolRef // that was looked up

	Presorted []SymbolRef // the first symbols, by bytes; see SortSymbols

	// ByNameRef: texts are hashed by their NameRef. Each function of LLVM needs it
	// anyway, and the tables in LLVM's files are in the order of its low bits.
	ByNameRef bool
}

// SymbolsState is what a table of symbols held.
type SymbolsState struct {
	symbols   int
	texts     ArenaState
	last      SymbolRef
	presorted []SymbolRef
}

func (t *Symbols) State() SymbolsState {
	return SymbolsState{t.Len(), t.Texts.State(), t.Last, t.Presorted}
}

// Restore drops what was interned since.
func (t *Symbols) Restore(s SymbolsState) {
	t.Last = s.last
	t.Presorted = s.presorted
	if t.Len() > s.symbols {
		t.places.Truncate(s.symbols)
		t.Texts.Restore(s.texts)
		t.Index.Truncate(uint32(s.symbols))
	}
}

func (t *Symbols) Len() int { return t.places.Len() }

// Place returns where the text of a symbol is kept, nowhere for none.
func (t *Symbols) Place(s SymbolRef) Place {
	if s == 0 {
		return Place{}
	}
	return *t.places.At(uint32(s))
}

// Text returns the text of a symbol of the table.
func (t *Symbols) Text(s SymbolRef) string {
	return words.StringOf(t.Texts.At(*t.places.At(uint32(s))))
}

// Intern returns the number of a text, and whether it is new.
func (t *Symbols) Intern(text string) (s SymbolRef, fresh bool) {
	s = t.Next(text)
	if s != 0 {
		return s, false
	}
	return t.InternHashed(text, t.Hash(text))
}

// Next returns the number of a text that is the one after the last or the last one again, and 0 for others.
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

func (t *Symbols) InternHashed(text string, hash uint32) (s SymbolRef, fresh bool) {
	ref, at := t.Index.Find(hash, func(ref uint32) bool { return t.Text(SymbolRef(ref)) == text })
	fresh = ref == 0
	if fresh {
		ref = t.places.Add(t.Texts.Keep([]byte(text)))
		t.Index.Put(at, hash, ref)
	}
	t.Last = SymbolRef(ref)
	return t.Last, fresh
}

// Find returns the number of a text, 0 if it is not in the table.
func (t *Symbols) Find(text string) SymbolRef {
	ref, _ := t.Index.Find(t.Hash(text), func(ref uint32) bool { return t.Text(SymbolRef(ref)) == text })
	return SymbolRef(ref)
}

// Hash returns the hash by which a text is found.
func (t *Symbols) Hash(text string) uint32 {
	if t.ByNameRef {
		return uint32(disk.NameRef(text))
	}
	return uint32(xxhash.Sum64String(text))
}

// fetchGroup is the number of hashes for which Fetch asks at once.
const fetchGroup = 128

// Fetch brings what looking up texts of these hashes will read first into the caches.
func (t *Symbols) Fetch(hashes []uint32) {
	for len(hashes) > 0 {
		group := hashes[:min(len(hashes), fetchGroup)]
		hashes = hashes[len(group):]
		var likely [fetchGroup]uint32
		var lines [fetchGroup]uintptr
		t.Index.Guess(group, likely[:])
		found := lines[:0]
		for _, ref := range likely[:len(group)] {
			if ref != 0 {
				found = append(found, words.AddressOfBytes(t.Texts.At(*t.places.At(ref))))
			}
		}
		fastmem.PrefetchLines(found)
	}
}

// Snapshot returns the texts of all symbols, for reading while others are added.
func (t *Symbols) Snapshot() *Symbols {
	s := &Symbols{Texts: t.Texts, places: t.places}
	s.Texts.slabs, s.Texts.pieces = slices.Clone(t.Texts.slabs), slices.Clone(t.Texts.pieces)
	s.places.chunks, s.places.pieces = slices.Clone(t.places.chunks), slices.Clone(t.places.pieces)
	return s
}

// fewFresh is how many times as many symbols must be sorted already for the others to
// be inserted between them.
const fewFresh = 1 << 6

// Sorted returns all symbols, sorted by bytes.
func (t *Symbols) Sorted(sorter *Sorter) []SymbolRef {
	fresh := t.Len() - len(t.Presorted)
	if fresh > len(t.Presorted)/fewFresh {
		return t.SortedAnew(sorter)
	}
	return t.insert(t.Presorted, fresh)
}

// insert inserts the last few symbols into all others, which are sorted.
func (t *Symbols) insert(others []SymbolRef, fresh int) []SymbolRef {
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
