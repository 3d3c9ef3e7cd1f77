package web

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/profarc/profarc/formats/llvm/coverage"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An llvmPart is what the page of one of LLVM's functions shows besides its profile points: its
// counters as bars, and its source lines if the site has the program.
type llvmPart struct {
	Blocks   []*blockChart
	Says     string // where the lines are from, or why there are none
	File     string
	Problem  string // why there is no text
	Short    bool   // the file is of another version
	Entered  uint64
	Lines    []llvmLine
	MoreLine int // lines that are not shown
}

// An llvmLine is one line of the source.
type llvmLine struct {
	ID     string
	Number int
	Mapped bool // it has code that is counted
	Count  uint64
	Heat   string
	Text   string
}

// A covered is the coverage mapping of a site's program, or why it has none.
type covered struct {
	*coverage.Coverage
	reason error
}

// coverageOf returns the mapping of the program that a site names.
func coverageOf(r *request) (*covered, error) {
	return gather(r, "the coverage mapping of the program", func(_ context.Context, s *Site, _ *Progress) (*covered, error) {
		mapping, err := coverage.Open(s.Binary)
		if err != nil {
			return &covered{reason: err}, nil
		}
		c, err := coverage.New(s.Archive, mapping)
		return &covered{c, err}, nil
	})
}

// newLLVMPart returns the part of a function of LLVM's, nil in other domains.
func newLLVMPart(r *request, m reader.Method) (*llvmPart, error) {
	if !r.archive().Header().Domain.LLVM() {
		return nil, nil
	}
	p := &llvmPart{Says: "Without the program its counters are shown by block, in the order of the compiler."}
	for q, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		if c := chartOf(q); c != nil && len(p.Blocks) < profilesOnPage {
			p.Blocks = append(p.Blocks, c)
		}
	}
	if r.site.Binary == "" {
		return p, nil
	}
	c, err := coverageOf(r)
	if err != nil {
		return nil, err
	}
	return p, p.addLines(r, c, m)
}

// addLines adds the lines of a function, or says why there are none.
func (p *llvmPart) addLines(r *request, c *covered, m reader.Method) error {
	if c.reason != nil {
		p.Says = fmt.Sprintf("Its counters are shown by block: %v.", c.reason)
		return nil
	}
	f, err := c.Function(m)
	switch {
	case errors.Is(err, coverage.ErrNotMapped), errors.Is(err, coverage.ErrMismatch):
		p.Says = fmt.Sprintf("Its counters are shown by block: %v.", err)
		return nil
	case err != nil:
		return err
	case !hasCode(m, f.Hash):
		p.Says = fmt.Sprintf("Its counters are shown by block: %v.", coverage.ErrMismatch)
		return nil
	}
	list := coverage.Sources(r.site.SourcePath).List(f.View(), false)
	p.Says, p.File, p.Problem, p.Short, p.Entered = "Counts of lines are those of llvm-cov.", list.File, list.Problem, list.Short, f.Count
	p.MoreLine = max(len(list.Lines)-linesOnPage, 0)
	most := uint64(0)
	for _, l := range list.Lines {
		most = max(most, l.Count)
	}
	for _, l := range list.Lines[:len(list.Lines)-p.MoreLine] {
		shown := llvmLine{ID: r.element(lineElement(l.Number)), Number: l.Number, Mapped: l.Mapped, Count: l.Count, Text: shortened(l.Text)}
		if l.Mapped {
			shown.Heat = heatOf(heatOfCount(l.Count, most))
		}
		p.Lines = append(p.Lines, shown)
	}
	return nil
}

// heatOfCount returns the heat of a count from 0 to 1, on a logarithmic scale.
func heatOfCount(n, most uint64) float64 {
	if n == 0 || most == 0 {
		return 0
	}
	return math.Log1p(float64(n)) / math.Log1p(float64(most))
}

// hasCode reports whether a method has a profile of some code.
func hasCode(m reader.Method, code uint64) bool {
	for q, err := range m.Profiles() {
		if err == nil && q.Code() == code {
			return true
		}
	}
	return false
}

// A blockChart shows the counters of a profile as bars, in their order.
type blockChart struct {
	Code  string
	Label string
	Most  uint64
	Bars  []blockBar
	More  int // counters that are not drawn
}

// A blockBar is one counter.
type blockBar struct {
	X, Y, H float64
	Title   string
}

// Sizes of a chart of counters, in units of its SVG.
const (
	blockWidth  = 10.0
	blockHeight = 100.0
	blocksDrawn = 100
)

// Width is the width of the chart.
func (c *blockChart) Width() float64 { return blockWidth * float64(max(len(c.Bars), 20)) }

// chartOf returns the chart of a profile, nil if it has fewer than two counters.
func chartOf(q reader.Profile) *blockChart {
	var counts []uint64
	for e := range q.Entries() {
		if e.Tag() != layout.TagCounters {
			continue
		}
		if rows, ok := e.Rows(); ok {
			for i := range rows.Len() {
				counts = append(counts, rows.Cell(i, 0).Load())
			}
		}
	}
	if len(counts) < 2 {
		return nil
	}
	c := &blockChart{Code: fmt.Sprintf("%016x", q.Code()), More: max(len(counts)-blocksDrawn, 0)}
	for _, n := range counts {
		c.Most = max(c.Most, n)
	}
	for i, n := range counts[:len(counts)-c.More] {
		h := blockHeight * shareOf(n, c.Most)
		if n > 0 {
			h = max(h, 1)
		}
		c.Bars = append(c.Bars, blockBar{blockWidth * float64(i), blockHeight - h, h, fmt.Sprintf("counter %d: %s", i, grouped(n))})
	}
	c.Label = fmt.Sprintf("%d counters, the highest %s. The profile points below have their values.", len(counts), grouped(c.Most))
	return c
}
