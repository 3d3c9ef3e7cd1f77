package pages

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/facts"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/reader"
)

// A counterChart shows the counters of one of LLVM's profiles as bars, in their order, and lists the highest.
type counterChart struct {
	Code    string
	Label   string
	Most    uint64
	Bars    []counterBar
	More    int // counters that are not drawn
	Highest []highCounter

	counts []uint64
}

// A counterBar is one counter.
type counterBar struct {
	X, Y, H float64
	Title   string
}

// A highCounter is one of the highest counters of a function.
type highCounter struct {
	Index int
	Count uint64
	At    *link // the source line where the code begins that it counts; nil if that is not known
}

// Sizes of a chart of counters, in units of its SVG, and how many counters are drawn and listed.
const (
	counterWidth   = 10.0
	counterHeight  = 100.0
	countersDrawn  = 1000
	countersListed = 10
)

// Width is the width of the chart.
func (c *counterChart) Width() float64 { return counterWidth * float64(max(len(c.Bars), 20)) }

// chartOf returns the chart of a profile, nil if it has fewer than two counters.
func chartOf(q reader.Profile) *counterChart {
	counts := facts.CountersOf(q)
	if len(counts) < 2 {
		return nil
	}
	c := &counterChart{Code: naming.IDText(q.Code()), Most: slices.Max(counts), More: max(len(counts)-countersDrawn, 0),
		counts: counts}
	for i, n := range counts[:len(counts)-c.More] {
		h := counterHeight * shareOf(n, c.Most)
		if n > 0 {
			h = max(h, 1)
		}
		c.Bars = append(c.Bars, counterBar{counterWidth * float64(i), counterHeight - h, h,
			fmt.Sprintf("counter %d: %s", i, cli.Grouped(n))})
	}
	c.Label = fmt.Sprintf("%d counters, the highest %s. The list has the highest, the profile points below have the "+
		"first.", len(counts), cli.Grouped(c.Most))
	c.Highest = highest(counts)
	return c
}

// highest returns the highest counters, the highest first.
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

// place links the highest counters to the source lines of their function, if the chart is of the same code.
func (c *counterChart) place(r *request, f *coverage.Function) {
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
