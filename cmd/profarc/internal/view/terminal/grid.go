package terminal

import (
	"bufio"
	"strings"

	"github.com/rivo/uniseg"
)

// A Grid prints rows whose last column is prose. On a terminal, a column of names is cut, and the prose continues on
// further lines.
type Grid struct {
	screen *Screen
	w      *bufio.Writer
	names  int // index of the column that can be cut, or -1
	rows   []gridRow
	widths []int // widths of all columns but the last
}

type gridRow struct {
	color string // color of the cell in the painted column
	cells []string
}

// NewGrid returns an empty grid that Print writes to w. names is the index of the column of names, or -1.
func NewGrid(s *Screen, w *bufio.Writer, names int) *Grid {
	return &Grid{screen: s, w: w, names: names}
}

// AddRow adds a row. color applies to the column that Print paints.
func (g *Grid) AddRow(color string, cells ...string) {
	for i, c := range cells[:len(cells)-1] {
		if i == len(g.widths) {
			g.widths = append(g.widths, 0)
		}
		g.widths[i] = max(g.widths[i], uniseg.StringWidth(c))
	}
	g.rows = append(g.rows, gridRow{color, cells})
}

// Print writes the grid. painted is the index of the colored column, or -1. An error stays in the writer.
func (g *Grid) Print(painted int) {
	used := 0
	for _, width := range g.widths {
		used += width + len(columnGap)
	}
	if over := used + g.leastProse() - g.screen.Width; g.screen.Width > 0 && g.names >= 0 && over > 0 {
		narrow := max(g.widths[g.names]-over, leastShown)
		used -= max(g.widths[g.names]-narrow, 0)
		g.widths[g.names] = min(g.widths[g.names], narrow)
	}
	for _, r := range g.rows {
		g.writeRow(&r, painted, used)
	}
}

// leastProse returns the minimum width of the prose. Narrower prose is printed below the columns.
func (g *Grid) leastProse() int { return g.screen.Width / 3 }

func (g *Grid) writeRow(r *gridRow, painted, used int) {
	for i, c := range r.cells[:len(r.cells)-1] {
		if g.screen.Width > 0 {
			c = g.screen.cutToWidth(c, g.widths[i])
		}
		color := ""
		if i == painted {
			color = r.color
		}
		g.screen.PaintText(g.w, color, c)
		_, _ = g.w.WriteString(strings.Repeat(" ", g.widths[i]-uniseg.StringWidth(c)) + columnGap)
	}
	indent := used
	if g.screen.Width > 0 && g.screen.Width-used < g.leastProse() && r.cells[len(r.cells)-1] != "" {
		indent = 2 * len(columnGap)
		_, _ = g.w.WriteString("\n" + strings.Repeat(" ", indent))
	}
	lines := g.screen.WrapText(r.cells[len(r.cells)-1], indent)
	_, _ = g.w.WriteString(strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n")
}

// WrapText splits a text into lines of a terminal on which used cells are taken. It cuts longer words like names.
func (s *Screen) WrapText(text string, used int) []string {
	room := max(s.Width-used, leastShown)
	if s.Width == 0 || uniseg.StringWidth(text) <= room {
		return []string{text}
	}
	return wrapWords(text, room, func(word string) string { return s.cutToWidth(word, room) })
}

// wrapWords splits a text into lines of at most room cells, if the shortened words fit.
func wrapWords(text string, room int, shorten func(string) string) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		word = shorten(word)
		if line != "" && uniseg.StringWidth(line)+1+uniseg.StringWidth(word) > room {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// The colours of states.
const (
	Good     = "32"
	Bad      = "31"
	Doubtful = "33"
)
