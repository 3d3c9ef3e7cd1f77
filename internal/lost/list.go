// Package lost counts what does not get from one side of an importer or
// exporter to the other.
package lost

import (
	"cmp"
	"slices"
)

// A Kind is a kind of thing that is lost, in the words that a user reads.
type Kind string

// An Item says how much of a kind was lost.
type Item struct {
	What  Kind
	Count int
	Line  int // of the text, where it happened first; 0 where there is no one place
}

// A List is what was lost, sorted by What.
type List []Item

// Add counts n. A nil list counts nothing.
func (l *List) Add(what Kind, n int) { l.add(what, n, 0) }

// At counts one, in a line of a text.
func (l *List) At(what Kind, line int) { l.add(what, 1, line) }

func (l *List) add(what Kind, n, line int) {
	if l == nil || n == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(*l, what, func(i Item, w Kind) int { return cmp.Compare(i.What, w) })
	if !ok {
		*l = slices.Insert(*l, i, Item{What: what, Line: line})
	}
	(*l)[i].Count += n
}

// Of is how many of a kind were lost.
func (l List) Of(what Kind) int {
	for _, i := range l {
		if i.What == what {
			return i.Count
		}
	}
	return 0
}
