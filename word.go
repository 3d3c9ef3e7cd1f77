package profarc

import (
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/reader"
)

// A Word is a counter in memory: of the archive's profile or of the function itself. Whoever counts in it keeps
// its Function, which keeps the memory.
type Word words.Count

// Load returns the count: of training and of this run.
func (w *Word) Load() uint64 { return (*words.Count)(w).Load() }

// Count adds n. Several goroutines may count at once, and nothing is lost.
func (w *Word) Count(n uint64) { (*words.Count)(w).Add(n) }

// Count1 adds 1 by an ordinary load and store, as interpreters count. Nothing is lost while one goroutine counts in the
// word at a time. Of several, one may undo what others added since its load; a profile can bear that.
func (w *Word) Count1() { (*words.Count)(w).Add1() }

// counterWord returns the word of a counter of a claimed profile.
func counterWord(c reader.Counter) *Word {
	w, _ := c.Word()
	return (*Word)(words.CountOf(w))
}
