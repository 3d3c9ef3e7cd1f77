package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Custom has the fields of a producer's own entry, except its rows.
type Custom struct {
	Point int32
	Tag   layout.Tag        // declared by Builder.DeclareShape
	Sub   layout.Sub        // free for the producer; a merge keeps entries with different subs apart
	Flags layout.EntryFlags // free for the producer; a merge unites them
	Cells []uint64          // cells outside the rows, in the order of the shape
}

// Custom adds an entry with a tag of the producer. Each row has the cells of a row in the shape. The value of a cell is
// a number, or uint64 of a TypeRef or MethodRef where the shape has a type or method, with 0 for none. A row of zeros
// is free, and a VM may record another row in it. Rows with equal keys are united.
func (p *Profile) Custom(c Custom, rows ...[]uint64) {
	shape := p.recording.Shape()
	schema, ok := shape.Schema(c.Tag)
	if !ok || !schema.Declared() {
		p.recording.Fail(fmt.Errorf("an entry of tag %d, which DeclareShape has not declared", c.Tag))
		return
	}
	cells := shape.Cells(c.Tag, len(rows))
	values, err := customCells(schema.Name, c.Cells, rows, cells, shape.Cells(c.Tag, 1)-shape.Cells(c.Tag, 0))
	if err != nil {
		p.recording.Fail(err)
		return
	}
	p.recording.Add(disk.SectionData, cells, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewWide(b, c.Tag, c.Flags, c.Sub, c.Point, cells, len(rows))
	}, func(e disk.Entry) {
		for cell, kind := range shape.WalkCells(e) {
			v := values[cell]
			if disk.IsPointer(kind) {
				v = p.recording.PointerCell(kind, v)
			}
			e.SetCell(cell, v)
		}
	})
}

// customBranch adds a branch whose rows have no target, index 0 if taken and 1 if not. reader.Entry.Branch reads it.
func (p *Profile) customBranch(at At, b Branch) {
	if at != (At{Bci: at.Bci}) || b.Displacement != 0 {
		p.recording.Fail(fmt.Errorf("%w: a branch at point %d in an archive of domain %s has counts alone",
			profileset.ErrDomain, at.Bci,
			layout.DomainCustom))
		return
	}
	taken := Successor{Index: 0, Count: b.Taken}
	notTaken := Successor{Index: 1, Count: b.NotTaken}
	p.Successors(at.Bci, layout.SubConditional, taken, notTaken)
}

// customCells returns the values of n cells in their order. width is the number of cells in a row.
func customCells(shape string, once []uint64, rows [][]uint64, n, width int) ([]uint64, error) {
	if width == 0 && len(rows) > 0 {
		return nil, fmt.Errorf("%d rows in an entry of shape %s, which has none", len(rows), shape)
	}
	values := append(make([]uint64, 0, n), once...)
	for _, row := range rows {
		if len(row) != width {
			return nil, fmt.Errorf("a row of %d cells in an entry of shape %s, which has %d", len(row), shape, width)
		}
		values = append(values, row...)
	}
	if len(values) != n {
		return nil, fmt.Errorf("%d cells in an entry of shape %s, which has %d", len(once), shape, n-width*len(rows))
	}
	return values, nil
}
