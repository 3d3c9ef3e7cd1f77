package terminal

import (
	"bufio"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/profarc/profarc/internal/cli"
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

func (g *Grid) AddRow(color string, cells ...string) {
	g.widths = widen(g.widths, cells[:len(cells)-1])
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

// WrappedText returns a text as lines of the width of the terminal.
func (s *Screen) WrappedText(text string) string { return strings.Join(s.WrapText(text, 0), "\n") }

// WrapWords splits a text into lines of at most room cells, if its words fit.
func WrapWords(text string, room int) []string {
	return wrapWords(text, room, func(word string) string { return word })
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

// A Table prints rows of numbers that end in a name. On a terminal, rows have a bar, which is longest for the highest
// value, and long names are cut.
type Table struct {
	screen *Screen
	w      *bufio.Writer
	rows   []tableRow
	widths []int  // widths of the cells
	most   uint64 // highest value of a row
}

type tableRow struct {
	cells      []string
	value      uint64 // length of the bar
	name, note string
}

const barWidth = 10
const columnGap = "  "

func NewTable(s *Screen, w *bufio.Writer) *Table { return &Table{screen: s, w: w} }

func (t *Table) AddHeader(cells []string, name string) { t.AddRow(cells, 0, name, "") }

// AddRow adds a row with a bar for its value. The note follows the name.
func (t *Table) AddRow(cells []string, value uint64, name, note string) {
	t.widths = widen(t.widths, cells)
	t.most = max(t.most, value)
	t.rows = append(t.rows, tableRow{cells, value, name, note})
}

// widen returns the widths of columns after cells were added.
func widen(widths []int, cells []string) []int {
	for i, c := range cells {
		if i == len(widths) {
			widths = append(widths, 0)
		}
		widths[i] = max(widths[i], uniseg.StringWidth(c))
	}
	return widths
}

// Print writes the table. An error stays in the writer.
func (t *Table) Print() {
	for i := range t.rows {
		t.writeRow(&t.rows[i])
		_ = t.w.WriteByte('\n')
	}
}

func (t *Table) writeRow(r *tableRow) {
	used := 0
	write := func(text string) {
		_, _ = t.w.WriteString(text)
		used += uniseg.StringWidth(text)
	}
	for i, c := range r.cells {
		write(columnGap + strings.Repeat(" ", t.widths[i]-uniseg.StringWidth(c)) + c)
	}
	write(columnGap)
	if t.screen.Width > 0 { // not in a pipe, since programs read it
		share := cli.Share(r.value, t.most)
		bar := t.screen.Bar(share, barWidth)
		t.screen.PaintText(t.w, HeatColor(share), bar)
		used += uniseg.StringWidth(bar)
		write(strings.Repeat(" ", barWidth-uniseg.StringWidth(bar)) + columnGap)
	}
	write(t.screen.Cut(r.name, used+min(uniseg.StringWidth(r.note), t.screen.Width/3)))
	if t.screen.Width > 0 {
		r.note = t.screen.Cut(r.note, used)
	}
	write(r.note)
}
