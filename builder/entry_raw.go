package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Raw adds an entry cell for cell: empty rows keep their places, and flags and
// traps their bits. A wide entry belongs into the section of data. e must be exactly one entry of the builder's
// settings. Its pointer cells are not taken: refs gives for each of them the
// number of a reference of this builder (uint64 of a TypeRef, or of a MethodRef
// where kind is PointerMethod), 0 for none. The tags of type words are kept.
func (p *Profile) Raw(section layout.BlockSection, e disk.Entry, refs func(cell int, kind disk.CellKind) uint64) {
	one, rest, err := p.rec.Shape().Next(e)
	if err != nil || len(rest) > 0 || one.Tag().Wide() && section != layout.SectionData {
		p.rec.Fail(fmt.Errorf("%d bytes that are not one entry of the settings (%v)", len(e), err))
		return
	}
	p.rec.Add(section, e.Cells(), func(b []byte) ([]byte, disk.Entry) {
		at := len(b)
		b = append(b, e...)
		return b, disk.Entry(b[at:])
	}, func(stored disk.Entry) { p.rawPointers(stored, refs) })
}

// rawPointers puts references in the place of pointers.
func (p *Profile) rawPointers(e disk.Entry, refs func(cell int, kind disk.CellKind) uint64) {
	for cell, kind := range p.rec.Shape().Pointers(e) {
		ref := refs(cell, kind)
		if ref > 1<<32-1 {
			p.rec.Fail(fmt.Errorf("%d is not a reference", ref))
			return
		}
		v := uint64(0)
		if kind == disk.CellMethod {
			v = p.rec.MethodCell(MethodRef(ref))
		} else {
			v = p.rec.TypeCell(TypeRef(ref))
		}
		if kind == disk.CellTypeWord {
			v |= e.Cell(cell) & (disk.TypeNullSeen | disk.TypeUnknown)
		}
		e.SetCell(cell, v)
	}
}
