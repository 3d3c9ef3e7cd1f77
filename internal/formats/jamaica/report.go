package jamaica

import (
	"cmp"
	"slices"
)

// A Loss is a kind of thing that did not get from one side to the other.
type Loss string

// What reading a text loses.
const (
	LossLine     Loss = "lines that begin with no keyword"
	LossShare    Loss = "percentages that are not the share that the numbers of the text make, rounded down"
	LossFraction Loss = "fractions of a percent"
	LossMark     Loss = "marks behind signatures that are not (interpreted), or not at a count"
)

// What writing a text loses.
const (
	LossNeverRan Loss = "methods that never ran"
	LossContext  Loss = "profiles of one calling context, or of one version of the code: written like any other"
	LossCounter  Loss = "profiles with counters of the method as a whole: the text has none"
	LossEntry    Loss = "profile entries that the text has no line for"
	LossName     Loss = "names that cannot be read again: they are empty, or hold blanks, signs or line breaks"
	LossProperty Loss = "properties of the run that the text has no line for"
	LossFlags    Loss = "(interpreted) marks of signatures that are cut short, or of calls"
)

// A Lost says how much of something was lost, and where first.
type Lost struct {
	What  Loss
	Count int
	Line  int // of the text, where it happened first; 0 where there is no one place
}

// A Report says what was read or written.
type Report struct {
	Lines   int    // that begin with a keyword
	Runs    int    // 1 of an archive
	Methods int    // with a profile, over all runs
	Entries int    // profile entries, over all runs
	Cut     int    // signatures that are cut short
	Lost    []Lost // sorted by What
}

// lose counts a loss; line is 0 where there is no one place.
func (r *Report) lose(what Loss, line int) {
	i, ok := slices.BinarySearchFunc(r.Lost, what, func(l Lost, w Loss) int { return cmp.Compare(l.What, w) })
	if !ok {
		r.Lost = slices.Insert(r.Lost, i, Lost{What: what, Line: line})
	}
	r.Lost[i].Count++
}

// Losses is how often something of that kind was lost.
func (r *Report) Losses(what Loss) int {
	for _, l := range r.Lost {
		if l.What == what {
			return l.Count
		}
	}
	return 0
}
