package sparsebits

import "sync/atomic"

// Words lie in chunks, chunks in directories: two steps instead of one, so that
// neither a small archive nor a huge one pays for what it does not touch.
const (
	chunkShift = 6 // log2 of the words of a chunk
	dirShift   = 8 // log2 of the chunks of a directory
	wordShift  = 6 // log2 of the bits of a word

	chunkMask = 1<<chunkShift - 1
	dirMask   = 1<<dirShift - 1
)

type (
	chunk [1 << chunkShift]atomic.Uint64
	dir   [1 << dirShift]atomic.Pointer[chunk]
	words []atomic.Pointer[dir]
)

// newWords makes room for n words, all zero.
func newWords(n int64) words {
	const perDir = 1 << (chunkShift + dirShift)
	return make(words, (n+perDir-1)/perDir)
}

// find returns the chunk of word i, nil if all of it is zero.
func (w words) find(i int64) *chunk {
	if d := w[i>>(chunkShift+dirShift)].Load(); d != nil {
		return d[i>>chunkShift&dirMask].Load()
	}
	return nil
}

// at returns word i, allocating its chunk if need be.
func (w words) at(i int64) *atomic.Uint64 {
	d := ensure(&w[i>>(chunkShift+dirShift)])
	c := ensure(&d[i>>chunkShift&dirMask])
	return &c[i&chunkMask]
}

// ensure returns what p points to; of several goroutines that find nothing there
// one puts a new T in.
func ensure[T any](p *atomic.Pointer[T]) *T {
	if v := p.Load(); v != nil {
		return v
	}
	if v := new(T); p.CompareAndSwap(nil, v) {
		return v
	}
	return p.Load()
}
