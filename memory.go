package profarc

import (
	"slices"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A wordBlock holds counters of one function outside the archive. They never move. Each
// function has its own blocks, so that the memory of a released one is free.
type wordBlock struct {
	words  []Word
	dumped []uint64 // counts at the last checkpoint that was written; the missing ones are 0
	next   *wordBlock
	few    [13]Word // memory of words, unless one site needs more
}

// newSite adds a site with the given numbers of words and types to the function's list. The caller holds mu.
func (f *Function) newSite(at place, words, types int, kinds []layout.CellShape) *site {
	b := f.blocks
	if b == nil || len(b.words)+words > cap(b.words) {
		b = &wordBlock{next: f.blocks}
		b.words = b.few[:0]
		if words > len(b.few) {
			b.words = make([]Word, 0, words)
		}
		f.blocks = b
	}
	first := len(b.words)
	b.words = b.words[:first+words]
	f.sites = &site{at: at, block: b, first: first, words: b.words[first:], kinds: kinds, next: f.sites}
	if types > 0 {
		f.sites.types = make([]atomic.Pointer[Type], types)
	}
	return f.sites
}

// hasCounted reports whether a word of the list differs from its value at the last checkpoint. The caller holds mu.
func (b *wordBlock) hasCounted() bool {
	for ; b != nil; b = b.next {
		dumped := b.dumped
		differs := uint64(0)
		for i := range b.words {
			n := b.words[i].Load()
			if i < len(dumped) {
				n ^= dumped[i]
			}
			differs |= n
		}
		if differs != 0 {
			return true
		}
	}
	return false
}

func (b *wordBlock) dumpedAt(i int) uint64 {
	if i >= len(b.dumped) {
		return 0
	}
	return b.dumped[i]
}

// readBlocks reads all words. The caller holds mu.
func (f *Function) readBlocks(read map[*wordBlock][]uint64) {
	for b := f.blocks; b != nil; b = b.next {
		read[b] = b.load()
	}
}

// load returns the counts of all words.
func (b *wordBlock) load() []uint64 {
	counts := make([]uint64, len(b.words))
	for i := range counts {
		counts[i] = b.words[i].Load()
	}
	return counts
}

// countsOf returns the counts of the site's words since the last checkpoint, where read has the counts of its block.
// Cells that are no counts have their values.
func (s *site) countsOf(read map[*wordBlock][]uint64) []uint64 {
	cells := slices.Clone(read[s.block][s.first : s.first+len(s.words)])
	for i := range cells {
		if s.isCount(i) {
			cells[i] -= s.block.dumpedAt(s.first + i)
		}
	}
	return cells
}

// A Word is a counter of the archive's profile or of the function itself. It is valid while its Function is reachable.
type Word words.Count

// Load returns the count, which includes training.
func (w *Word) Load() uint64 { return (*words.Count)(w).Load() }

// Count adds n atomically.
func (w *Word) Count(n uint64) { (*words.Count)(w).Add(n) }

// Count1 adds 1 with an ordinary load and store, as interpreters do. If several goroutines count in the word at once,
// some increments are lost.
func (w *Word) Count1() { (*words.Count)(w).Add1() }

func counterWord(c reader.Counter) *Word {
	w, _ := c.Word()
	return (*Word)(words.CountOf(w))
}
