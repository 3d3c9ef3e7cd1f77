package pages

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/facts"
	"github.com/profarc/profarc/layout"
)

// A cutoffView shows how few methods have most of the weight in a unit.
type cutoffView struct {
	Name      string
	About     string // what the weight of a method is
	Methods   uint64 // with any
	Inclusive bool
	Curve     *curve
	Rows      *table
}

// A curve is a line in an SVG: methods from left to right, on a logarithmic scale, and their
// share of all counts from the bottom up.
type curve struct {
	Label  string
	Path   string
	Marks  []curveMark
	Ticks  []curveMark // of the scale below
	Widest uint64
}

// A curveMark is a point of a curve, with a text.
type curveMark struct {
	X, Y  float64
	Text  string
	Title string
}

// Sizes of a curve in its SVG.
const (
	curveLeft, curveTop     = 44.0, 10.0
	curveWidth, curveHeight = 420.0, 130.0
)

// summarized returns the cutoffs of the site's archive.
func summarized(r *request) (*facts.Summary, error) {
	return gather(r, "how few methods have most of the weight",
		func(ctx context.Context, s *Site, _ *Progress) (*facts.Summary, error) {
			return facts.Cutoffs(ctx, s.Archive)
		})
}

// markedShares are the shares that the pages name, in percent.
var markedShares = map[float64]bool{50: true, 90: true, 99: true, 99.9: true}

// newCutoffViews returns the cutoffs of every unit, of stacks in their usual one.
func newCutoffViews(r *request, s *facts.Summary, unit facts.SampleUnit) (list []cutoffView) {
	for i, u := range s.Units {
		if u.Methods == 0 || r.archive().Header().Domain == layout.DomainSampled && u.Unit != string(unit) {
			continue // samples of calls, and samples beside their time, say the same in other words
		}
		v := cutoffView{Methods: uint64(u.Methods), Inclusive: u.Inclusive}
		v.Name, v.About = weightOf(r.archive().Header(), u.Unit)
		v.Curve = newCurve(v.Name, u)
		v.Rows = newTable(r, fmt.Sprintf("cutoffs%d", i), "Methods that make up a share of all "+v.Name,
			column{Key: "share", Name: "share", Number: true},
			column{Key: "methods", Name: "methods", Number: true}, column{Key: "part", Name: "of those with any", Number: true},
			column{Key: "least", Name: v.Name + " of the coldest", Number: true})
		var rows []row
		for _, c := range u.Cutoffs {
			rows = append(rows, row{Cells: []cell{shareText(c.Percent), countCell(uint64(c.Methods)),
				shareCell(shareOf(uint64(c.Methods), v.Methods)), amountCell(c.MinWeight, v.Name)}})
		}
		v.Rows.fill(rows)
		list = append(list, v)
	}
	return list
}

// weightOf returns the name of the weight of methods in a unit, and of its sum.
func weightOf(h *layout.Header, unit string) (name, about string) {
	switch {
	case unit != layout.UnitExecutions.String():
		return unit, ""
	case h.Domain.LLVM():
		return unit, "All counters of a function and its value counts are summed."
	case h.Summary.TotalInvocations == 0:
		return unit, "The counts at all profile points of a method are summed."
	}
	return "weight", "The invocations of a method and the counts at its profile points are summed."
}

// shareText returns a cell with a share in percent, as exact as it was asked for.
func shareText(percent float64) cell {
	return cell{Link: link{Text: fmt.Sprintf("%g%%", percent)}, Value: percent, Number: true}
}

// newCurve draws the cutoffs of a unit.
func newCurve(name string, u facts.UnitSummary) *curve {
	c := &curve{Widest: uint64(u.Methods)}
	x := func(methods int) float64 {
		if u.Methods <= 1 {
			return curveLeft + curveWidth
		}
		return curveLeft + curveWidth*math.Log(float64(max(methods, 1)))/math.Log(float64(u.Methods))
	}
	y := func(percent float64) float64 { return curveTop + curveHeight*(1-percent/100) }
	var path strings.Builder
	fmt.Fprintf(&path, "M%.1f %.1f", x(1), y(0))
	var said []string
	for _, p := range u.Curve { // each method is a step
		fmt.Fprintf(&path, "H%.1fV%.1f", x(p.Methods), y(100*p.Share))
	}
	for _, row := range u.Cutoffs {
		if u.Inclusive {
			fmt.Fprintf(&path, "L%.1f %.1f", x(row.Methods), y(row.Percent))
		}
		if markedShares[row.Percent] {
			text := fmt.Sprintf("%g%% in %s", row.Percent, plural(uint64(row.Methods), "method"))
			c.Marks = append(c.Marks, curveMark{x(row.Methods), y(row.Percent), fmt.Sprintf("%g%%", row.Percent), text})
			said = append(said, text)
		}
	}
	c.Path = path.String()
	for n := uint64(1); n < uint64(u.Methods); n *= 10 {
		c.Ticks = append(c.Ticks, curveMark{X: x(int(n)), Text: short(n)})
	}
	c.Label = fmt.Sprintf("Share of all %s by number of methods, the heaviest first: %s", name, strings.Join(said, ", "))
	return c
}
