// Package sparsebits has arrays of words over a large, sparsely used range, and sets of bits, such as the checked pages
// of an archive. Memory is allocated when a word is first written, 64 words at a time. An empty [Array] takes 8 bytes
// per 2^14 words, an empty [Set] 8 bytes per 2^20 numbers, and an empty [States] 8 bytes per 2^19 slots. All are safe
// for concurrent use.
package sparsebits

import (
	"iter"
	"math/bits"
	"sync/atomic"
)

// A Set is a set of numbers from 0 to n-1 that can only grow.
type Set struct{ words Array }

func New(n int64) *Set { return &Set{NewArray((n + 63) >> wordShift)} }

// Has reports whether i is in the set. It may panic if i is outside the range.
func (s *Set) Has(i int64) bool {
	c := s.words.findChunk(i >> wordShift)
	return c != nil && c[i>>wordShift&chunkMask].Load()&(1<<(i&63)) != 0
}

// Add adds i, which must be in the range. Add synchronizes with each Has that returns true for i.
func (s *Set) Add(i int64) { s.words.At(i >> wordShift).Or(1 << (i & 63)) }

// A States has a state from 0 to 3 for each of the slots 0 to n-1, initially 0.
type States struct{ words Array }

const (
	slotShift = wordShift - 1 // log2 of the slots of a word
	stateMask = 3
)

func NewStates(n int64) *States { return &States{NewArray((n + 31) >> slotShift)} }

// Load returns the state of slot i, which must be in the range.
func (s *States) Load(i int64) uint8 {
	c := s.words.findChunk(i >> slotShift)
	if c == nil {
		return 0
	}
	return uint8(c[i>>slotShift&chunkMask].Load() >> (i & 31 * 2) & stateMask)
}

func (s *States) CompareAndSwap(i int64, old, new uint8) bool {
	w := s.words.At(i >> slotShift)
	shift := i & 31 * 2
	for {
		word := w.Load()
		if word>>shift&stateMask != uint64(old) {
			return false
		}
		// Retry if other slots of the word have changed since the load.
		if w.CompareAndSwap(word, word&^(stateMask<<shift)|uint64(new&stateMask)<<shift) {
			return true
		}
	}
}

func (s *States) Store(i int64, v uint8) {
	for !s.CompareAndSwap(i, s.Load(i), v) {
	}
}

func (s *States) Or(i int64, v uint8) {
	s.words.At(i >> slotShift).Or(uint64(v&stateMask) << (i & 31 * 2))
}

// Count returns the number of slots in state v, which must not be 0.
func (s *States) Count(v uint8) (n uint64) {
	for _, word := range s.words.allWords() {
		other := word ^ uint64(v&stateMask)*everySlot
		n += uint64(bits.OnesCount64(^(other | other>>1) & everySlot))
	}
	return n
}

// All iterates over the slots in state v, which must not be 0, in ascending order.
func (s *States) All(v uint8) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i, word := range s.words.allWords() {
			other := word ^ uint64(v&stateMask)*everySlot
			for in := ^(other | other>>1) & everySlot; in != 0; in &= in - 1 {
				if !yield(i<<slotShift + int64(bits.TrailingZeros64(in))/2) {
					return
				}
			}
		}
	}
}

// Fill changes all slots in [from, to) from state 0 to state v. If one is in another state it changes none and
// returns false. Of two calls with overlapping ranges at most one succeeds.
func (s *States) Fill(from, to int64, v uint8) bool {
	for at := from; at < to; {
		next := min(to, (at>>slotShift+1)<<slotShift)
		if !s.fillWord(at, next, v) {
			s.Clear(from, at)
			return false
		}
		at = next
	}
	return true
}

func (s *States) fillWord(from, to int64, v uint8) bool {
	w := s.words.At(from >> slotShift)
	mask := slotRangeMask(from, to)
	for {
		word := w.Load()
		if word&mask != 0 {
			return false
		}
		if w.CompareAndSwap(word, word|mask&(uint64(v&stateMask)*everySlot)) {
			return true
		}
	}
}

func (s *States) Clear(from, to int64) {
	for at := from; at < to; {
		next := min(to, (at>>slotShift+1)<<slotShift)
		s.words.At(at >> slotShift).And(^slotRangeMask(at, next))
		at = next
	}
}

// everySlot has the lowest bit of each slot of a word.
const everySlot = 0x5555_5555_5555_5555

// slotRangeMask returns the bits of the slots in [from, to), which must be in one word.
func slotRangeMask(from, to int64) uint64 { return ^uint64(0) >> (64 - 2*(to-from)) << (from & 31 * 2) }

// Words are in chunks, and chunks in directories, so that neither a small nor a huge archive allocates unused words.
const (
	chunkShift = 6 // log2 of the words of a chunk
	dirShift   = 8 // log2 of the chunks of a directory
	wordShift  = 6 // log2 of the bits of a word

	chunkMask = 1<<chunkShift - 1
	dirMask   = 1<<dirShift - 1
)

type (
	chunk     [1 << chunkShift]atomic.Uint64
	directory [1 << dirShift]atomic.Pointer[chunk]
)

// An Array has a word for each number from 0 to n-1, initially 0.
type Array []atomic.Pointer[directory]

func NewArray(n int64) Array {
	const perDir = 1 << (chunkShift + dirShift)
	return make(Array, (n+perDir-1)/perDir)
}

// Find returns word i, or nil if no word of its chunk was written.
func (a Array) Find(i int64) *atomic.Uint64 {
	if c := a.findChunk(i); c != nil {
		return &c[i&chunkMask]
	}
	return nil
}

func (a Array) findChunk(i int64) *chunk {
	if d := a[i>>(chunkShift+dirShift)].Load(); d != nil {
		return d[i>>chunkShift&dirMask].Load()
	}
	return nil
}

// At returns word i for writing.
func (a Array) At(i int64) *atomic.Uint64 {
	d := loadOrCreate(&a[i>>(chunkShift+dirShift)])
	c := loadOrCreate(&d[i>>chunkShift&dirMask])
	return &c[i&chunkMask]
}

func loadOrCreate[T any](p *atomic.Pointer[T]) *T {
	if v := p.Load(); v != nil {
		return v
	}
	if v := new(T); p.CompareAndSwap(nil, v) {
		return v
	}
	return p.Load()
}

// allWords iterates over the words of all chunks, with their numbers.
func (a Array) allWords() iter.Seq2[int64, uint64] {
	return func(yield func(int64, uint64) bool) {
		for i := int64(0); i < int64(len(a))<<(chunkShift+dirShift); i += 1 << chunkShift {
			c := a.findChunk(i)
			if c == nil {
				continue
			}
			for j := range c {
				if !yield(i+int64(j), c[j].Load()) {
					return
				}
			}
		}
	}
}
