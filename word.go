package profarc

import (
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/reader"
)

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
