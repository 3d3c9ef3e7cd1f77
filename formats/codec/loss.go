package codec

import (
	"cmp"
	"slices"
)

// A LossKind names a kind of information that a conversion loses, in words for users. Each format declares its kinds.
type LossKind string

// A Loss counts the losses of one kind and unit.
type Loss struct {
	What  LossKind `json:"what"`
	Count int      `json:"count"`          // number of lost functions, entries, lines or rows
	Line  int      `json:"line,omitempty"` // line of the first occurrence, from 1; 0 if it has no line
	// Unit is the unit of Amount, a key of Report.Totals; "" if no counts were lost.
	Unit   string   `json:"unit,omitempty"`
	Amount uint64   `json:"amount,omitempty"` // lost counts
	First  []string `json:"first,omitempty"`  // the first few different lost things, as "run.proftext:9: foo: the reason"
}

// Losses lists the losses of a conversion, one item for each kind and unit, sorted by What and Unit. The zero value is
// empty.
type Losses []Loss

// firstKept is the maximum length of Loss.First.
const firstKept = 3

// Add counts n losses of a kind in which no counts were lost. Add on a nil *Losses does nothing.
func (l *Losses) Add(what LossKind, n int) { l.AddLoss(Loss{What: what, Count: n}) }

// AddLoss counts a loss. Counts and amounts of one kind and unit are added up, and the first lines and things are kept.
// AddLoss on a nil *Losses does nothing.
func (l *Losses) AddLoss(loss Loss) {
	if l == nil || loss.Count == 0 && loss.Amount == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(*l, loss, func(x, y Loss) int {
		return cmp.Or(cmp.Compare(x.What, y.What), cmp.Compare(x.Unit, y.Unit))
	})
	if !ok {
		*l = slices.Insert(*l, i, Loss{What: loss.What, Line: loss.Line, Unit: loss.Unit})
	}
	sum := &(*l)[i]
	sum.Count += loss.Count
	sum.Amount += loss.Amount // modulo 2^64, as totals
	for _, thing := range loss.First {
		if len(sum.First) < firstKept && !slices.Contains(sum.First, thing) {
			sum.First = append(sum.First, thing)
		}
	}
}

// Count returns the number of losses of a kind.
func (l Losses) Count(what LossKind) (n int) {
	for _, item := range l {
		if item.What == what {
			n += item.Count
		}
	}
	return n
}
