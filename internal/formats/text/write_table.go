package text

import (
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (w *writer) writeTables() {
	for t := range poll.Values(w.s.Tables(), &w.Err) {
		if disk.IsStructure(t.Kind) {
			continue // the header has the shapes
		}
		w.endLine()
		w.writeTable(&t)
	}
	w.endLine()
}

func (w *writer) writeTable(t *reader.Table) {
	w.writeLiteral("table ")
	w.writeListedWord(tableWords, uint64(t.Kind))
	if t.Flags != 0 {
		w.writeKeyNumber(" flags=", uint64(t.Flags))
	}
	for i := range t.Columns() {
		w.writeLiteral(" ")
		w.writeLiteral(columnWords[t.Column(i)])
	}
	w.endLine()
	for r := range t.Rows {
		w.writeLiteral("  row")
		for i := range t.Columns() {
			w.writeLiteral(" ")
			w.writeTableCell(t.Column(i), t.Cell(i, r), meaningOfWords(t.Kind, i))
		}
		w.endLine()
		if w.Err != nil {
			return
		}
	}
}

func (w *writer) writeTableCell(kind disk.ColumnKind, v uint64, word wordMeaning) {
	n := layout.Ref(v)
	switch {
	case kind == disk.ColumnWord:
		w.writeTableWord(v, word)
	case n == 0:
		w.writeLiteral("-")
	case kind == disk.ColumnSymbol:
		if name, err := w.s.SymbolAt(n); !w.Fail(err) {
			w.writeName(name)
		}
	case kind == disk.ColumnType:
		if t, err := w.s.TypeAt(n); !w.Fail(err) {
			w.writeTypeRef(t)
		}
	case kind == disk.ColumnMethod:
		w.writeMethodAt(n)
	case kind == disk.ColumnProfile:
		w.writeProfileRef(n)
	case kind == disk.ColumnContext:
		w.writeContextRef(n)
	}
}

func (w *writer) writeTableWord(v uint64, word wordMeaning) {
	point := int64(v)
	switch {
	case word == wordFunction:
		w.writeFunctionID(v)
	case word == wordPoint && point < 0 && point >= math.MinInt32:
		w.writeInt(point)
	default:
		w.writeUint(v)
	}
}

// writeProfileRef writes the method, code id and context of a profile.
func (w *writer) writeProfileRef(n layout.Ref) {
	p, err := w.s.ProfileAt(n)
	if w.Fail(err) {
		return
	}
	w.writeLiteral("( ")
	w.writeMethodAt(disk.Block(p.Bytes()).Method())
	w.writeCodeAndContext(p)
	w.writeLiteral(" )")
}

// writeContextRef writes the method and the callers of a context.
func (w *writer) writeContextRef(n layout.Ref) {
	c, err := w.s.ContextAt(n)
	if w.Fail(err) {
		return
	}
	m, err := c.Method()
	if w.Fail(err) {
		return
	}
	w.writeLiteral("( ")
	w.writeMethodRef(m)
	w.writeFrames(c)
	w.writeLiteral(" )")
}
