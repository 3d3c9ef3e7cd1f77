package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The plots are in units of a pixel at full width.
const (
	plotWidth = 860
	barHeight = 22
	barLeft   = 420 // where bars begin; names lie before it
	barUnit   = 160 // width of a bar that just meets its goal
	barMax    = 250
)

// barPlot draws a bar for each goal.
func barPlot(bars []bar) string {
	var b strings.Builder
	height := barHeight*len(bars) + 24
	fmt.Fprintf(&b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Ratios against goals\">\n", plotWidth, height)
	for i, r := range bars {
		y, share := i*barHeight, r.goal.Ratio/r.goal.Limit
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", barLeft-8, y+15, html.EscapeString(r.name))
		width := min(barUnit*share, barMax)
		fmt.Fprintf(&b, "<rect class=\"bar-%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", r.goal.class(), barLeft,
			y+4, width, barHeight-8)
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\" class=\"faint\">%s</text>\n", float64(barLeft)+max(width, barUnit)+6, y+15,
			html.EscapeString(r.goal.short()))
	}
	x := barLeft + barUnit
	fmt.Fprintf(&b,
		"<line class=\"limit\" x1=\"%d\" y1=\"0\" x2=\"%d\" y2=\"%d\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" "+
			"class=\"faint\">limit</text>\n</svg>\n",
		x, x, height-18, x, height-4)
	return b.String()
}

func (g Goal) short() string {
	s := fmt.Sprintf("%s of %s", amount(g.Ratio), amount(g.Limit))
	if g.Against != "" {
		s += " × " + g.Against
	}
	return s
}

const (
	plotHeight = 330
	plotLeft   = 58
	plotRight  = 560 // the legend lies beyond it
	plotTop    = 14
	plotBottom = 290
)

// An axis maps values to places, by their logarithms.
type axis struct{ low, high, from, to float64 }

func axisOf(values []float64, from, to float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return axis{math.Log10(low) - 0.06, math.Log10(high) + 0.06, from, to}
}

func (a axis) at(v float64) float64 {
	return a.from + (math.Log10(v)-a.low)/(a.high-a.low)*(a.to-a.from)
}

// ticks returns 1, 2 and 5 times the powers of ten within the axis.
func (a axis) ticks(steps ...float64) (ticks []float64) {
	for e := math.Floor(a.low); e <= math.Ceil(a.high); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); math.Log10(v) >= a.low && math.Log10(v) <= a.high {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// linePlot draws time over size, both by their logarithms, so that the slope of a line is its exponent.
func linePlot(label string, all []series) string {
	var xs, ys []float64
	for _, s := range all {
		xs, ys = append(xs, s.x...), append(ys, s.y...)
	}
	x, y := axisOf(xs, plotLeft, plotRight), axisOf(ys, plotBottom, plotTop)
	var b strings.Builder
	fmt.Fprintf(&b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", plotWidth, plotHeight,
		html.EscapeString(label))
	grid(&b, x, y)
	for i, s := range all {
		s.draw(&b, i, x, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func grid(b *strings.Builder, x, y axis) {
	for _, v := range y.ticks(1, 2, 5) {
		fmt.Fprintf(b,
			"<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/><text class=\"faint\" x=\"%d\" y=\"%.1f\" "+
				"text-anchor=\"end\">%.4g</text>\n",
			plotLeft, y.at(v), plotRight, y.at(v), plotLeft-6, y.at(v)+4, v)
	}
	for _, v := range x.ticks(1) {
		fmt.Fprintf(b,
			"<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/><text class=\"faint\" x=\"%.1f\" y=\"%d\" "+
				"text-anchor=\"middle\">%s</text>\n",
			x.at(v), plotTop, x.at(v), plotBottom, x.at(v), plotBottom+16, grouped(int(v+0.5)))
	}
	fmt.Fprintf(b,
		"<text class=\"faint\" x=\"%d\" y=\"%d\">ns</text><text class=\"faint\" x=\"%d\" y=\"%d\" "+
			"text-anchor=\"end\">methods</text>\n",
		4, plotTop+4, plotRight, plotHeight-6)
}

// draw draws one line and its name.
func (s series) draw(b *strings.Builder, i int, x, y axis) {
	var points []string
	color := fmt.Sprintf("var(--s%d)", i%8)
	for at := range s.x {
		points = append(points, fmt.Sprintf("%.1f,%.1f", x.at(s.x[at]), y.at(s.y[at])))
		fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" style=\"fill:%s\"/>\n", x.at(s.x[at]), y.at(s.y[at]), color)
	}
	fmt.Fprintf(b, "<polyline points=\"%s\" style=\"fill:none;stroke:%s;stroke-width:2\"/>\n",
		strings.Join(points, " "), color)
	row := plotTop + 8 + 20*i
	fmt.Fprintf(b,
		"<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"4\" style=\"fill:%s\"/><text x=\"%d\" y=\"%d\">%s: n^%.2f</text>\n",
		plotRight+20, row, color, plotRight+40, row+7, html.EscapeString(s.name), s.exponent)
}
