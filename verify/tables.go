package verify

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// allTables checks every reference in the tables of region ex.
func (w *walk) allTables() {
	const atOnce = 1 << 14
	for t, err := range w.s.Tables() {
		if err != nil {
			w.refused(inTables, int64(w.tables)<<32, err)
			return
		}
		w.share((t.Rows+atOnce-1)/atOnce, func(w *worker, i int) {
			for column := range t.Columns() {
				w.column(&t, column, i*atOnce, min((i+1)*atOnce, t.Rows))
			}
		})
		w.tables++
	}
}

func (w *worker) column(t *reader.Table, column, from, to int) {
	kind := t.Column(column)
	for row := from; kind != disk.ColumnWord && row < to; row++ {
		n := layout.Ref(t.Cell(column, row))
		if n == 0 {
			continue
		}
		if err := w.reference(kind, n); err != nil {
			w.noteError(inTables, int64(w.tables)<<32+int64(row), err)
		}
	}
}

// reference checks that n refers to a record of a kind.
func (w *walk) reference(kind disk.ColumnKind, n layout.Ref) (err error) {
	region := disk.RegionRO
	what := ""
	known := true
	switch kind {
	case disk.ColumnSymbol:
		what, known = "text", w.starts.symbols.partial || w.isText(n)
		if !w.isText(n) {
			_, err = w.s.SymbolAt(n)
		}
	case disk.ColumnType:
		if !w.isType(n) {
			_, err = w.s.TypeAt(n)
		}
	case disk.ColumnMethod:
		row := w.isRow(n)
		what, known = "method", row || w.starts.methods.mayHave(n)
		if w.naming || !known {
			_, err = w.s.MethodAt(n)
		}
	case disk.ColumnProfile:
		what, known = "profile", w.starts.blocks.mayHave(n)
		if !w.starts.blocks.has(n) {
			region = disk.RegionRW
			_, err = w.s.ProfileAt(n)
		}
	case disk.ColumnContext:
		if w.naming || !w.isContext(n) {
			_, err = w.s.ContextAt(n)
		}
	}
	if err == nil && !known {
		err = disk.Corrupt(region, n.Offset(), "a table leads here, where no %s begins", what)
	}
	return err
}

func (w *walk) isRow(n layout.Ref) bool {
	section := w.h.Parts[disk.PartUnexecuted]
	return section.Holds(n.Offset(), disk.UnexecutedRowSize) && n.Offset() >= section.End()-w.rows()*disk.UnexecutedRowSize
}
