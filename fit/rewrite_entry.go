package fit

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// entry takes an entry over. raw is what is to be written: the entry as it lies,
// or with another place and other displacements.
func (w *rewriter) entry(p *builder.Profile, section layout.BlockSection, e reader.Entry, raw disk.Entry) (err error) {
	if raw.Tag().Wide() {
		return w.wide(p, e, raw)
	}
	p.Raw(section, raw, func(cell int, kind disk.CellKind) uint64 {
		ref, failed := w.pointer(raw.Cell(cell), kind)
		if err == nil {
			err = failed
		}
		return ref
	})
	return err
}

// pointer is the builder's reference for a pointer cell, 0 for none.
func (w *rewriter) pointer(v uint64, kind disk.CellKind) (uint64, error) {
	if kind == disk.CellTypeWord {
		v &^= disk.TypeTags
	}
	if v == 0 {
		return 0, nil
	}
	at := disk.RefOf(int64(v - w.s.Header().Base))
	if kind == disk.CellMethod {
		m, err := w.s.MethodAt(at)
		if err != nil {
			return 0, err
		}
		ref, err := w.methodRef(m)
		return uint64(ref), err
	}
	t, err := w.s.TypeAt(at)
	if err != nil {
		return 0, err
	}
	ref, err := w.typeRef(t)
	return uint64(ref), err
}

// wide takes an entry of this format's own over, to a point.
func (w *rewriter) wide(p *builder.Profile, e reader.Entry, raw disk.Entry) error {
	point := raw.Point()
	switch e.Tag() {
	case layout.TagReceivers:
		return w.wideReceivers(p, raw)
	case layout.TagCounters:
		p.Counters(point, cells(e)...)
	case layout.TagValueSite:
		var values []builder.Value
		for all := cells(e); len(all) > 1; all = all[2:] {
			values = append(values, builder.Value{Value: all[0], Count: all[1]})
		}
		p.ValueSite(e.Sub(), point, values...)
	case layout.TagBitmap:
		bits, _ := e.Bitmap()
		p.Bitmap(point, bits)
	}
	return nil // the others are of domains that are not checked
}

// cells are all cells of an entry.
func cells(e reader.Entry) []uint64 {
	out := make([]uint64, e.Cells())
	for i := range out {
		out[i] = e.Cell(i).Trained()
	}
	return out
}

// wideReceivers takes receivers of any number over. Rows without a type are empty.
func (w *rewriter) wideReceivers(p *builder.Profile, raw disk.Entry) error {
	rows := make([]builder.Row, 0, raw.Rows())
	for cell := disk.ReceiversFixed; cell < raw.Cells(); cell += 2 {
		ref, err := w.pointer(raw.Cell(cell), disk.CellType)
		if err != nil {
			return err
		}
		rows = append(rows, builder.Row{Type: builder.TypeRef(ref), Count: raw.Cell(cell + 1)})
	}
	p.Receivers(raw.Point(), raw.Sub(), raw.Flags(), raw.Cell(0), raw.Cell(1), rows...)
	return nil
}

// finish takes over what belongs to no method. Left out are tables of what
// depends on the old code or on the order of its profiles.
func (w *rewriter) finish() error {
	for t, err := range w.s.Tables() {
		if err != nil {
			return err
		}
		if t.Kind.IsSourceOrder() || t.Kind == layout.TableForeign {
			continue
		}
		if err := w.table(&t); err != nil {
			return err
		}
	}
	return w.b.Err()
}

func (w *rewriter) table(t *reader.Table) error {
	kinds := make([]layout.ColumnKind, t.Columns())
	for i := range kinds {
		kinds[i] = t.Column(i)
		if kinds[i] == layout.ColumnProfile || kinds[i] == layout.ColumnContext {
			return nil
		}
	}
	to := w.b.Table(t.Kind, t.Flags, kinds...)
	row := make([]uint64, len(kinds))
	for r := range t.Rows {
		if stays, err := w.keepsRow(t, r); !stays {
			if err != nil {
				return err
			}
			continue
		}
		for i, kind := range kinds {
			var err error
			if row[i], err = w.cell(kind, t.Cell(i, r)); err != nil {
				return err
			}
		}
		to.Row(row...)
	}
	return nil
}

// cell is the builder's reference for a cell of a table.
func (w *rewriter) cell(kind layout.ColumnKind, v uint64) (uint64, error) {
	if kind == layout.ColumnWord || v == 0 {
		return v, nil
	}
	switch kind {
	case layout.ColumnSymbol:
		text, err := w.s.SymbolAt(layout.Ref(v))
		return uint64(w.b.Symbol(text.String())), err
	case layout.ColumnMethod:
		return w.pointer(w.s.Header().Base+uint64(layout.Ref(v).Offset()), disk.CellMethod)
	}
	return w.pointer(w.s.Header().Base+uint64(layout.Ref(v).Offset()), disk.CellType)
}
