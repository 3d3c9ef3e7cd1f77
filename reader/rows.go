package reader

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Rows is the rows of an entry that is a list. What the cells of a row are, the
// tag says: see layout.
type Rows struct {
	e     Entry
	shape rowShape
}

// A rowShape says which cells of a list entry are its head and its rows.
type rowShape struct{ head, first, width int }

func rowsOf(tag layout.Tag) (s rowShape, ok bool) {
	switch tag {
	case layout.TagMultiBranch: // length, default count and displacement; count and displacement
		return rowShape{1, 3, 2}, true
	case layout.TagRet: // count; bci, count and displacement
		return rowShape{0, 1, 3}, true
	case layout.TagArgInfo: // length; modified
		return rowShape{1, 1, 1}, true
	case layout.TagReceivers: // see Receivers
		return rowShape{}, false
	}
	return wideRows(tag)
}

// wideRows derives the shape from the schema of a wide tag: the rows come last,
// after cells that stand once.
func wideRows(tag layout.Tag) (s rowShape, ok bool) {
	schema, ok := disk.SchemaOf(tag)
	if !ok || !tag.Wide() {
		return rowShape{}, false
	}
	for i := range schema.Groups {
		g := &schema.Groups[i]
		switch {
		case g.Repeat == disk.PerRow:
			return rowShape{0, s.first, len(g.Cells)}, i == len(schema.Groups)-1
		case g.Repeat != disk.Once:
			return rowShape{}, false
		}
		s.first += len(g.Cells)
	}
	return rowShape{}, false
}

// Rows is the list of a MultiBranch, Ret or ArgInfo entry, or of a wide entry
// that has rows: Counters, ValueSite, Successors and Callees. Those of a
// Receivers entry are its Receivers.
func (e Entry) Rows() (r Rows, ok bool) {
	s, ok := rowsOf(e.kind.tag)
	if !ok || s.first > e.Cells() {
		return Rows{}, false
	}
	return Rows{e, s}, true
}

// Len is the number of rows.
func (r Rows) Len() int { return (r.e.Cells() - r.shape.first) / r.shape.width }

// Head is the cells before the rows: the count of a Ret, the default count and
// displacement of a MultiBranch. It panics if there is no cell i.
func (r Rows) Head(i int) Counter {
	if i < 0 || r.shape.head+i >= r.shape.first {
		panic("reader: no such cell before the rows")
	}
	return r.e.Cell(r.shape.head + i)
}

// Cell returns cell i of a row. It panics if there is none.
func (r Rows) Cell(row, i int) Counter {
	if i < 0 || i >= r.shape.width || row < 0 {
		panic("reader: no such cell in a row")
	}
	return r.e.Cell(r.shape.first + row*r.shape.width + i)
}

// Method returns the method of a row of a method and a count, as of Callees, the zero Method if it has none. It
// panics if there is no such row.
func (r Rows) Method(row int) (Method, error) {
	schema, _ := disk.SchemaOf(r.e.kind.tag)
	if key, _ := schema.RowKey(); key != disk.CellMethod || !schema.IsList() {
		return Method{}, nil
	}
	if row < 0 || row >= r.Len() {
		panic("reader: no such row")
	}
	return r.e.MethodCell(r.shape.first + row*r.shape.width)
}
