package text

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/layout"
)

// A Loss is a kind of thing that the text cannot say. Only archives that
// another program than this one's builder wrote have any of it.
type Loss string

// What writing a text loses.
const (
	LossMeaningless Loss = "flags of wide entries that mean nothing"
	LossMisplaced   Loss = "wide entries that are not among the data entries"
)

// A Lost says how much of something was lost.
type Lost struct {
	What  Loss
	Count int
}

// A Report says what was read or written.
type Report struct {
	Domain   layout.Domain
	Lines    int
	Methods  int
	Profiles int
	Entries  int
	Lost     []Lost // sorted by What
}

// lose counts a loss.
func (r *Report) lose(what Loss) {
	i, ok := slices.BinarySearchFunc(r.Lost, what, func(l Lost, w Loss) int { return cmp.Compare(l.What, w) })
	if !ok {
		r.Lost = slices.Insert(r.Lost, i, Lost{What: what})
	}
	r.Lost[i].Count++
}
