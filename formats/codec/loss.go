package codec

import (
	"cmp"
	"slices"
)

// A LossKind names a kind of information that a conversion loses, in words for
// users. Each format declares its own.
type LossKind string

// A Loss counts how much of one kind a conversion lost.
type Loss struct {
	What  LossKind `json:"what"`
	Count int      `json:"count"`
	Line  int      `json:"line,omitempty"` // of the first occurrence, from 1; 0 if it has no line
}

// Losses is what a conversion lost, one item a kind, sorted by What.
type Losses []Loss

// Add counts n losses of a kind. Add on a nil *Losses does nothing.
func (l *Losses) Add(what LossKind, n int) { l.add(what, n, 0) }

// AddAt counts one loss of a kind, in a line of the input.
func (l *Losses) AddAt(what LossKind, line int) { l.add(what, 1, line) }

func (l *Losses) add(what LossKind, n, line int) {
	if l == nil || n == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(*l, what, func(item Loss, w LossKind) int { return cmp.Compare(item.What, w) })
	if !ok {
		*l = slices.Insert(*l, i, Loss{What: what, Line: line})
	}
	(*l)[i].Count += n
}

// Count returns how many losses of a kind there were.
func (l Losses) Count(what LossKind) int {
	for _, item := range l {
		if item.What == what {
			return item.Count
		}
	}
	return 0
}
