// Package refindex is a hash index of references, for millions of entries.
package refindex

import (
	"hash/maphash"
	"math"

	"github.com/profarc/profarc/internal/file/mmap"
)

// An Index maps hashes to references, without pointers for the garbage collector to scan. It stores each hash next to
// the reference, so that a search rarely compares a wrong record. A search begins at the slot of the hash's low bits.
// References inserted in the order of another such table therefore fill the slots in order. The zero Index is empty.
type Index struct {
	slots []slot // length is a power of two
	used  int
	piece *mmap.Piece // memory of many slots

	// Crowded reports that a search read more slots than spread hashes ever need. Someone may have chosen the keys: the
	// owner must insert them again by HashKey.
	Crowded bool
}

type slot struct{ hash, ref uint32 } // ref 0 marks a free slot

const (
	firstSlots  = 1 << 8
	longestRead = 1 << 10 // slots
)

var seed = maphash.MakeSeed()

// HashKey returns a hash that differs between processes, so that no input can choose keys that collide.
func HashKey[K comparable](key K) uint32 { return uint32(maphash.Comparable(seed, key)) }

func (x *Index) Len() int { return x.used }

// Find returns the reference with a hash for which is returns true. Otherwise it returns 0 and the slot for Put.
func (x *Index) Find(hash uint32, is func(ref uint32) bool) (ref, at uint32) {
	if x.used >= len(x.slots)/2 { // insertion in the order of a larger table fills parts of this one twice
		x.rehash(max(2*len(x.slots), firstSlots), math.MaxUint32)
	}
	mask := uint32(len(x.slots) - 1)
	for at = hash & mask; x.slots[at].ref != 0; at = (at + 1) & mask {
		if slot := x.slots[at]; slot.hash == hash && is(slot.ref) {
			return slot.ref, at
		}
	}
	x.Crowded = x.Crowded || (at-hash)&mask > longestRead
	return 0, at
}

// Put stores a reference, which must not be 0, in the slot that Find returned.
func (x *Index) Put(at, hash, ref uint32) {
	x.slots[at] = slot{hash, ref}
	x.used++
}

// Guess sets refs to the likely reference of each hash, 0 for none. It speeds up batches of lookups in a table that
// is larger than the caches. Its loop is so short that cache misses of many slots overlap, and Find then hits the
// cache. If the caller reads the guessed records, those are cached, too.
func (x *Index) Guess(hashes, refs []uint32) {
	clear(refs[:len(hashes)])
	if len(x.slots) == 0 {
		return
	}
	mask := uint32(len(x.slots) - 1)
	for i, hash := range hashes {
		if slot := x.slots[hash&mask]; slot.hash == hash {
			refs[i] = slot.ref
		}
	}
}

// Truncate removes all references above last.
func (x *Index) Truncate(last uint32) {
	if x.used > 0 {
		x.rehash(len(x.slots), last)
	}
}

// rehash moves the references up to last into n new slots.
func (x *Index) rehash(n int, last uint32) {
	old := x.slots
	piece := x.piece
	x.allocateSlots(n)
	x.used = 0
	mask := uint32(n - 1)
	for _, s := range old {
		if s.ref == 0 || s.ref > last {
			continue
		}
		at := s.hash & mask
		for x.slots[at].ref != 0 {
			at = (at + 1) & mask
		}
		x.Put(at, s.hash, s.ref)
	}
	piece.Release()
}

// manySlots is the number of slots from which they are allocated outside Go's heap, which may grow to twice its live
// data.
const manySlots = 1 << 17

func (x *Index) allocateSlots(n int) {
	if n < manySlots {
		x.slots = make([]slot, n)
		x.piece = nil
		return
	}
	x.piece, x.slots = mmap.NewPieceOf[slot](n)
}
