package warm

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
	"github.com/profarc/profarc/internal/cli"
)

const (
	plotHeight = 16
	plotMargin = 10 // columns for the times at the left
	// wide is from which ratio of the greatest to the least figure on an axis is logarithmic.
	wide = 10
)

// A mark stands for a curve. Its colour is one of the sixteen of a terminal.
type mark struct {
	letter byte
	colour int
}

var marks = []mark{{'*', 37}, {'o', 36}, {'x', 33}, {'#', 32}, {'+', 35}, {'a', 34}, {'b', 31}, {'c', 95}, {'d', 92},
	{'e', 93}, {'f', 94}, {'g', 96}}

// printCurves plots the curves, and says where they fall behind the base line.
func (r *report) printCurves(a *cli.App, width int) {
	if len(r.Curves) == 0 {
		return
	}
	shown := r.Curves[:min(len(r.Curves), len(marks))]
	fmt.Fprintf(a.Out, "\ntime of a unit by the time since the start: medians, each point of %s\n",
		cli.Amount(shown[0].Each, "unit"))
	p := newPlot(shown, columns(width, a)-plotMargin-1)
	coloured := a.Streams.OutTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if coloured { // own bytes, which a.Out would escape
		_ = a.Out.Flush()
		p.print(a.Streams.RawOut, true)
	} else {
		p.print(a.Out, false)
	}
	for i, c := range shown {
		fmt.Fprintf(a.Out, "  %c %s%s\n", marks[i].letter, c.Contender, c.Behind.text(r.Baseline))
	}
}

// text says where a curve is behind the base line's.
func (b *behind) text(baseline string) string {
	switch {
	case b == nil:
		return ""
	case b.TooFewFor:
		return fmt.Sprintf(": at most %.2f of %s, in units %d to %d; too few rounds to tell", b.Estimate, baseline,
			b.From, b.To)
	case b.Slower == 0:
		return fmt.Sprintf(": nowhere shown to be slower than %s; at most %.2f (%.2f to %.2f), in units %d to %d", baseline,
			b.Estimate, b.Low, b.High, b.From, b.To)
	}
	return fmt.Sprintf(": slower than %s in %d of %d parts, most in units %d to %d: %.2f (%.2f to %.2f)", baseline,
		b.Slower, b.Parts, b.From, b.To, b.Estimate, b.Low, b.High)
}

// columns returns the width asked for, or the terminal's.
func columns(width int, a *cli.App) int {
	if f, ok := a.Streams.RawOut.(*os.File); ok && a.Streams.OutTerminal && width == 0 {
		width, _, _ = term.GetSize(int(f.Fd()))
	}
	if width <= 0 {
		return 80
	}
	return max(40, width)
}

// A plot is a field of characters with curves in it.
type plot struct {
	cells [][]int // rows from above; 0: empty, else the number of a mark and 1
	x, y  axis
}

// newPlot draws curves: to the right the time, upwards the time of a unit.
func newPlot(curves []namedCurve, width int) *plot {
	p := &plot{cells: make([][]int, plotHeight)}
	for i := range p.cells {
		p.cells[i] = make([]int, width)
	}
	p.x = axisOf(curves, width, func(u warmup.Unit) int64 { return u.EndNS })
	p.y = axisOf(curves, plotHeight, func(u warmup.Unit) int64 { return u.TimeNS })
	for i := len(curves) - 1; i >= 0; i-- { // the first is on top
		for _, u := range curves[i].Points {
			p.cells[plotHeight-1-p.y.at(float64(u.TimeNS))][p.x.at(float64(u.EndNS))] = i + 1
		}
	}
	return p
}

// print prints the field with its axes.
func (p *plot) print(w io.Writer, coloured bool) {
	for i, cells := range p.cells {
		label := ""
		if i%5 == 0 || i == plotHeight-1 {
			label = timeText(p.y.value(plotHeight - 1 - i))
		}
		line := fmt.Sprintf("%*s |", plotMargin-2, label)
		for _, c := range cells {
			line += cellText(c, coloured)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	width := len(p.cells[0])
	left, middle, right := timeText(p.x.value(0)), timeText(p.x.value(width/2)), timeText(p.x.value(width-1))
	fmt.Fprintf(w, "%*s +%s\n", plotMargin-2, "", strings.Repeat("-", width))
	fmt.Fprintf(w, "%*s%-*s%s%*s\n", plotMargin, "", width/2, left, middle, width-width/2-len(middle), right)
}

func cellText(c int, coloured bool) string {
	switch {
	case c == 0:
		return " "
	case coloured:
		return fmt.Sprintf("\x1b[%dm%c\x1b[0m", marks[c-1].colour, marks[c-1].letter)
	}
	return string(rune(marks[c-1].letter))
}

// An axis turns figures into cells.
type axis struct {
	low, high float64
	cells     int
	log       bool
}

// axisOf returns an axis for a figure of all points of curves: from zero, or logarithmic if the
// figures differ much.
func axisOf(curves []namedCurve, cells int, figure func(warmup.Unit) int64) axis {
	a := axis{low: math.Inf(1), high: 1, cells: cells}
	for _, c := range curves {
		for _, u := range c.Points {
			v := max(1, float64(figure(u)))
			a.low, a.high = min(a.low, v), max(a.high, v)
		}
	}
	if a.log = a.high > wide*a.low; !a.log {
		a.low = 0
	}
	return a
}

// at returns the cell of a figure.
func (a axis) at(v float64) int {
	share := (v - a.low) / (a.high - a.low)
	if a.log {
		share = math.Log(max(1, v)/a.low) / math.Log(a.high/a.low)
	}
	return max(0, min(a.cells-1, int(math.Round(share*float64(a.cells-1)))))
}

// value returns the figure of a cell.
func (a axis) value(cell int) float64 {
	share := float64(cell) / float64(a.cells-1)
	if a.log {
		return a.low * math.Pow(a.high/a.low, share)
	}
	return a.low + share*(a.high-a.low)
}

// timeText returns a time in ASCII, so that its bytes are its columns.
func timeText(ns float64) string {
	return strings.Replace(cli.FormatDuration(time.Duration(ns)), "µ", "u", 1)
}
