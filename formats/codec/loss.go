package codec

import (
	"cmp"
	"slices"
)

// A LossKind names a kind of information that a conversion loses, in words for users. Each format declares its kinds.
type LossKind string

// A Loss counts the losses of one kind.
type Loss struct {
	What  LossKind `json:"what"`
	Count int      `json:"count"`
	Line  int      `json:"line,omitempty"` // line of the first occurrence, from 1; 0 if it has no line
}

// Losses lists the losses of a conversion, one item for each kind, sorted by the field What. The zero value is empty.
type Losses []Loss

// Add counts n losses of a kind. Add on a nil *Losses does nothing.
func (l *Losses) Add(what LossKind, n int) { l.addLosses(what, n, 0) }

// AddAt counts one loss of a kind at a line of the input.
func (l *Losses) AddAt(what LossKind, line int) { l.addLosses(what, 1, line) }

func (l *Losses) addLosses(what LossKind, n, line int) {
	if l == nil || n == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(*l, what, func(item Loss, w LossKind) int { return cmp.Compare(item.What, w) })
	if !ok {
		*l = slices.Insert(*l, i, Loss{What: what, Line: line})
	}
	(*l)[i].Count += n
}

// Count returns the number of losses of a kind.
func (l Losses) Count(what LossKind) int {
	for _, item := range l {
		if item.What == what {
			return item.Count
		}
	}
	return 0
}
