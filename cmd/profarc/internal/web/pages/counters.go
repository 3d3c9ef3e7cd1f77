package pages

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/facts"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/reader"
)

// A counterList has the highest counters of one of LLVM's profiles.
type counterList struct {
	Code    string
	Of      int // counters of the profile
	Highest []highCounter
}

type highCounter struct {
	Index int
	Count uint64
	At    *link // the source line where the code begins that it counts; nil if that is not known
}

const countersListed = 10

// countersOf returns the list of a profile, nil if it has fewer than two counters.
func countersOf(q reader.Profile) *counterList {
	counts := facts.CountersOf(q)
	if len(counts) < 2 {
		return nil
	}
	return &counterList{naming.IDText(q.Code()), len(counts), highest(counts)}
}

func highest(counts []uint64) (list []highCounter) {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	for _, i := range order[:min(countersListed, len(order))] {
		if counts[i] > 0 {
			list = append(list, highCounter{Index: i, Count: counts[i]})
		}
	}
	return list
}

// place links the highest counters to the source lines of their function, if the list is of the same code.
func (c *counterList) place(r *request, f *coverage.Function) {
	if c.Code != naming.IDText(f.Hash) {
		return
	}
	for i := range c.Highest {
		if line := f.LineOf(c.Highest[i].Index); line > 0 {
			at := r.here(fmt.Sprintf("line %d", line), lineElement(line))
			c.Highest[i].At = &at
		}
	}
}
