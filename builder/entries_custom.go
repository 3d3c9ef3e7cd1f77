package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Custom is the fields of an entry of one of the producer's tags.
type Custom struct {
	Point int32
	Tag   layout.Tag        // that DeclareShape declared
	Sub   layout.Sub        // of any meaning; entries of another sub are merged by themselves
	Flags layout.EntryFlags // of any meaning; a merge unites them
	Cells []uint64          // those that stand once, in the order of the shape
}

// Custom adds an entry of one of the producer's tags, with rows that each have the cells
// of the shape's rows. A cell is a number or, where the shape has a type or a method, a
// reference of the builder as a number (uint64(ref)), 0 for none. A row of zeros is room
// for one to be recorded. Rows with the same keys become one.
func (p *Profile) Custom(c Custom, rows ...[]uint64) {
	shape := p.rec.Shape()
	schema, ok := shape.Schema(c.Tag)
	if !ok || !schema.Declared() {
		p.rec.Fail(fmt.Errorf("an entry of tag %d, which DeclareShape has not declared", c.Tag))
		return
	}
	cells := shape.Cells(c.Tag, len(rows))
	values, err := customCells(schema, c.Cells, rows, cells)
	if err != nil {
		p.rec.Fail(err)
		return
	}
	p.rec.Add(layout.SectionData, cells, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewWide(b, c.Tag, c.Flags, c.Sub, c.Point, cells, len(rows))
	}, func(e disk.Entry) {
		for cell, kind := range shape.Walk(e) {
			e.SetCell(cell, p.customCell(kind, values[cell]))
		}
	})
}

// customCells returns the values of n cells in their order.
func customCells(schema *disk.Schema, once []uint64, rows [][]uint64, n int) ([]uint64, error) {
	values := append(make([]uint64, 0, n), once...)
	width := 0
	for i := range schema.Groups {
		if g := &schema.Groups[i]; g.Repeat == disk.PerRow {
			width = len(g.Cells)
		}
	}
	for _, row := range rows {
		if len(row) != width {
			return nil, fmt.Errorf("a row of %d cells in an entry of shape %s, which has %d", len(row), schema.Name, width)
		}
		values = append(values, row...)
	}
	if len(values) != n {
		return nil, fmt.Errorf("%d cells in an entry of shape %s, which has %d", len(once), schema.Name, n-width*len(rows))
	}
	return values, nil
}

func (p *Profile) customCell(kind disk.CellKind, v uint64) uint64 {
	switch {
	case !disk.IsPointer(kind):
		return v
	case v > 1<<32-1:
		p.rec.Fail(fmt.Errorf("%d is not a reference", v))
		return 0
	case kind == disk.CellMethod:
		return p.rec.MethodCell(MethodRef(v))
	default:
		return p.rec.TypeCell(TypeRef(v))
	}
}
