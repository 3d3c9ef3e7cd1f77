package terminal

import (
	"bufio"
	"strings"

	"github.com/rivo/uniseg"
)

// A Table prints rows of numbers that end in a name. On a terminal, rows have a bar, and long names are cut.
type Table struct {
	screen *Screen
	w      *bufio.Writer
	rows   []tableRow
	widths []int // widths of the cells
}

type tableRow struct {
	cells      []string
	share      float64 // length of the bar; negative for none
	name, note string
}

const barWidth = 10

const columnGap = "  "

// NewTable returns an empty table that Print writes to w.
func NewTable(s *Screen, w *bufio.Writer) *Table { return &Table{screen: s, w: w} }

// AddHeader adds the row of column names.
func (t *Table) AddHeader(cells []string, name string) { t.appendRow(tableRow{cells, -1, name, ""}) }

// AddRow adds a row. share is the length of its bar, from 0 to 1. The note follows the name.
func (t *Table) AddRow(cells []string, share float64, name, note string) {
	t.appendRow(tableRow{cells, share, name, note})
}

func (t *Table) appendRow(r tableRow) {
	for i, c := range r.cells {
		if i == len(t.widths) {
			t.widths = append(t.widths, 0)
		}
		t.widths[i] = max(t.widths[i], uniseg.StringWidth(c))
	}
	t.rows = append(t.rows, r)
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
	if t.hasBars() {
		bar := t.screen.Bar(max(r.share, 0), barWidth)
		t.screen.PaintText(t.w, HeatColor(r.share), bar)
		used += uniseg.StringWidth(bar)
		write(strings.Repeat(" ", barWidth-uniseg.StringWidth(bar)) + columnGap)
	}
	write(t.screen.Cut(r.name, used+min(uniseg.StringWidth(r.note), t.screen.Width/3)))
	if t.screen.Width > 0 {
		r.note = t.screen.Cut(r.note, used)
	}
	write(r.note)
}

// hasBars reports whether the table has bars. Tables in a pipe have none, since programs read them.
func (t *Table) hasBars() bool { return t.screen.Width > 0 }
