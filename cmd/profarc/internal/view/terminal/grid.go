package terminal

import (
	"bufio"
	"strings"

	"github.com/rivo/uniseg"
)

// A Grid prints rows of texts below each other, of which the last is prose. On a terminal a column of names is cut, and
// the prose continues on further lines.
type Grid struct {
	screen *Screen
	w      *bufio.Writer
	names  int // the column that may be cut, -1 for none
	rows   []gridRow
	widths []int // of all columns but the last
}

type gridRow struct {
	color string // of the cell in column painted
	cells []string
}

// NewGrid returns an empty grid that Print writes to w. names is the column whose texts are names, -1 for none.
func NewGrid(s *Screen, w *bufio.Writer, names int) *Grid {
	return &Grid{screen: s, w: w, names: names}
}

// Row adds a row. The column of states has the color, see Paint.
func (g *Grid) Row(color string, cells ...string) {
	for i, c := range cells[:len(cells)-1] {
		if i == len(g.widths) {
			g.widths = append(g.widths, 0)
		}
		g.widths[i] = max(g.widths[i], uniseg.StringWidth(c))
	}
	g.rows = append(g.rows, gridRow{color, cells})
}

// Print writes the grid, with the colours in a column. An error stays in the writer.
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

// leastProse returns the least width of the prose beside the columns. Where there is less room it stands below them.
func (g *Grid) leastProse() int { return g.screen.Width / 3 }

func (g *Grid) writeRow(r *gridRow, painted, used int) {
	for i, c := range r.cells[:len(r.cells)-1] {
		if g.screen.Width > 0 {
			c = g.screen.cutName(c, g.widths[i])
		}
		color := ""
		if i == painted {
			color = r.color
		}
		g.screen.Paint(g.w, color, c)
		_, _ = g.w.WriteString(strings.Repeat(" ", g.widths[i]-uniseg.StringWidth(c)) + columnGap)
	}
	indent := used
	if g.screen.Width > 0 && g.screen.Width-used < g.leastProse() && r.cells[len(r.cells)-1] != "" {
		indent = 2 * len(columnGap)
		_, _ = g.w.WriteString("\n" + strings.Repeat(" ", indent))
	}
	lines := g.screen.Wrap(r.cells[len(r.cells)-1], indent)
	_, _ = g.w.WriteString(strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n")
}

// Wrap returns the lines of a text on a terminal if used cells of each are taken. A line ends between words. A longer
// word is cut as a name.
func (s *Screen) Wrap(text string, used int) []string {
	room := max(s.Width-used, leastShown)
	if s.Width == 0 || uniseg.StringWidth(text) <= room {
		return []string{text}
	}
	return wrapWords(text, room, func(word string) string { return s.cutName(word, room) })
}

// wrapWords returns the lines of a text, of at most room cells if what shorten makes of each word fits.
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
