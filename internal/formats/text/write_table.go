package text

import (
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (w *writer) allTables() {
	for t, err := range w.s.Tables() {
		if w.failed(err) {
			return
		}
		if t.Kind == disk.TableShapes {
			continue // the header has the shapes
		}
		w.end()
		w.table(&t)
	}
	w.end()
}

func (w *writer) table(t *reader.Table) {
	w.literal("table ")
	w.listed(tableWords, uint64(t.Kind))
	if t.Flags != 0 {
		w.key(" flags=", uint64(t.Flags))
	}
	for i := range t.Columns() {
		w.literal(" ")
		w.literal(columnWords[t.Column(i)])
	}
	w.end()
	for r := range t.Rows {
		w.literal("  row")
		for i := range t.Columns() {
			w.literal(" ")
			w.tableCell(t.Column(i), t.Cell(i, r), wordsOf(t.Kind, i))
		}
		w.end()
		if w.err != nil {
			return
		}
	}
}

func (w *writer) tableCell(kind disk.ColumnKind, v uint64, word tableWord) {
	n := layout.Ref(v)
	switch {
	case kind == disk.ColumnWord:
		w.tableWord(v, word)
	case n == 0:
		w.literal("-")
	case kind == disk.ColumnSymbol:
		if name, err := w.s.SymbolAt(n); !w.failed(err) {
			w.spell(name)
		}
	case kind == disk.ColumnType:
		if t, err := w.s.TypeAt(n); !w.failed(err) {
			w.typeRef(t)
		}
	case kind == disk.ColumnMethod:
		w.methodAt(n)
	case kind == disk.ColumnProfile:
		w.profileRef(n)
	case kind == disk.ColumnContext:
		w.contextRef(n)
	}
}

func (w *writer) tableWord(v uint64, word tableWord) {
	point := int64(v)
	switch {
	case word == wordFunction:
		w.functionID(v)
	case word == wordPoint && point < 0 && point >= math.MinInt32:
		w.signed(point)
	default:
		w.printNumber(v)
	}
}

// profileRef writes the method, code id and context of a profile.
func (w *writer) profileRef(n layout.Ref) {
	p, err := w.s.ProfileAt(n)
	if w.failed(err) {
		return
	}
	w.literal("( ")
	w.methodAt(disk.Block(p.Bytes()).Method())
	w.version(p)
	w.literal(" )")
}

// contextRef writes the method and the callers of a context.
func (w *writer) contextRef(n layout.Ref) {
	c, err := w.s.ContextAt(n)
	if w.failed(err) {
		return
	}
	m, err := c.Method()
	if w.failed(err) {
		return
	}
	w.literal("( ")
	w.methodRef(m)
	w.frames(c)
	w.literal(" )")
}
