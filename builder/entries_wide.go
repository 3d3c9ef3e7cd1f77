package builder

import (
	"encoding/binary"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A Value counts one value of a value site.
type Value struct{ Value, Count uint64 }

// A Successor counts one way of a branch. Point and Index identify it; a merge may change the order of the rows.
type Successor struct {
	Point int32  // target; 0 if not known
	Index uint32 // number of the way; of a conditional branch, 0 if taken and 1 if not
	Count uint64
}

// A Callee counts the calls of one method.
type Callee struct {
	Method MethodRef
	Count  uint64
}

// wide adds an entry that is not HotSpot's. Done fails if the domain does not have it.
func (p *Profile) wide(w profileset.Wide, rows int, fill func(e disk.Entry)) {
	p.recording.AddWide(w, rows, fill)
}

// Counters adds an array of counters.
func (p *Profile) Counters(point int32, counts ...uint64) {
	p.wide(profileset.Wide{Tag: layout.TagCounters, Point: point}, len(counts), func(e disk.Entry) {
		for i, c := range counts {
			e.SetCell(i, c)
		}
	})
}

// ValueSite adds the values of a value site; kind is layout.SubIndirectCall or another of that group.
func (p *Profile) ValueSite(site int32, kind layout.Sub, values ...Value) {
	p.wide(profileset.Wide{Tag: layout.TagValueSite, Sub: kind, Point: site}, len(values), func(e disk.Entry) {
		for i, v := range values {
			e.SetCell(2*i, v.Value)
			e.SetCell(2*i+1, v.Count)
		}
	})
}

// Bitmap adds an array of bits, eight in each byte.
func (p *Profile) Bitmap(point int32, bits []byte) {
	p.wide(profileset.Wide{Tag: layout.TagBitmap, Point: point}, len(bits), func(e disk.Entry) {
		var word [8]byte
		for i := 0; i*8 < len(bits); i++ {
			clear(word[:])
			copy(word[:], bits[i*8:])
			e.SetCell(i, binary.LittleEndian.Uint64(word[:]))
		}
	})
}

// Successors adds where a branch went; sub is layout.SubConditional or the sub of returns (docs/format.md).
func (p *Profile) Successors(point int32, sub layout.Sub, rows ...Successor) {
	p.wide(profileset.Wide{Tag: layout.TagSuccessors, Sub: sub, Point: point}, len(rows), func(e disk.Entry) {
		for i, r := range rows {
			e.SetCell(2*i, disk.PackSuccessor(r.Point, r.Index))
			e.SetCell(2*i+1, r.Count)
		}
	})
}

// Receivers holds the fields of a type profile, except its rows.
type Receivers struct {
	Point int32
	Sub   layout.Sub        // layout.SubVirtualCall or layout.SubTypeCheck
	Flags layout.EntryFlags // layout.EntryNullSeen, or 0
	Other uint64            // count of values whose type has no row; signed for a type check
	Traps uint64            // trap bits as in the header of HotSpot's entries; 0 for none
}

// Receivers adds a type profile with any number of rows, which may be free.
func (p *Profile) Receivers(r Receivers, rows ...Row) {
	head := profileset.Wide{Tag: layout.TagReceivers, Sub: r.Sub, Flags: r.Flags, Point: r.Point}
	p.wide(head, len(rows), func(e disk.Entry) {
		e.SetCell(0, r.Other)
		e.SetCell(1, r.Traps)
		for i, row := range rows {
			e.SetCell(disk.ReceiversFixed+2*i, p.recording.TypeCell(row.Type))
			e.SetCell(disk.ReceiversFixed+2*i+1, row.Count)
		}
	})
}

// Callees adds the methods called at a point.
func (p *Profile) Callees(point int32, rows ...Callee) {
	p.wide(profileset.Wide{Tag: layout.TagCallees, Point: point}, len(rows), func(e disk.Entry) {
		for i, r := range rows {
			e.SetCell(2*i, p.recording.MethodCell(r.Method))
			e.SetCell(2*i+1, r.Count)
		}
	})
}

// A Count is one counter.
type Count struct {
	Point int32
	Sub   layout.Sub        // the counted event, such as layout.SubCalls
	Flags layout.EntryFlags // layout.EntryInterpreted, or 0
	N     uint64
}

// Count adds one counter.
func (p *Profile) Count(c Count) {
	p.wide(profileset.Wide{Tag: layout.TagCount, Sub: c.Sub, Flags: c.Flags, Point: c.Point}, 0,
		func(e disk.Entry) { e.SetCell(0, c.N) })
}

// Custom holds the fields of a producer's own entry, except its rows.
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
