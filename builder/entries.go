package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// maxCells bounds one entry: a block's size is 32 bits wide, in units of 8
// bytes.
const maxCells = 1 << 28

// add makes room for an entry of a section and fills it.
func (p *Profile) add(section layout.BlockSection, cells int, entry func(b []byte) ([]byte, disk.Entry), fill func(e disk.Entry)) {
	if p.tooLate() || p.err != nil {
		return
	}
	if section < 0 || section >= layout.SectionDirectory {
		p.fail(fmt.Errorf("section %d holds no entries", section))
		return
	}
	s := &p.parts.sections[section]
	if cells < 0 || cells > maxCells-len(s.bytes)/disk.CellSize {
		p.fail(fmt.Errorf("%w: an entry of %d cells in section %d", layout.ErrTooLarge, cells, section))
		return
	}
	start := len(s.bytes)
	bytes, e := entry(s.bytes)
	s.bytes = bytes
	if fill != nil {
		fill(e)
	}
	s.add(start)
}

// hotspot adds one of HotSpot's entries.
func (p *Profile) hotspot(tag layout.Tag, at At, length int, fill func(e disk.Entry)) {
	cells := p.b.shape.Cells(tag, length)
	p.add(at.In, cells, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewEntry(b, tag, at.Flags, at.Bci, at.Traps, cells)
	}, fill)
}

// wide adds one of this format's entries.
func (p *Profile) wide(tag layout.Tag, flags uint8, sub uint16, point int32, rows int, fill func(e disk.Entry)) {
	cells := disk.Shape{}.Cells(tag, rows)
	p.add(layout.SectionData, cells, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewWide(b, tag, flags, sub, point, cells, rows)
	}, fill)
}

// Until the archive is laid out a pointer cell holds a reference, moved out of
// the way of the tags.
const refShift = 3

func (p *Profile) typeCell(t TypeRef) uint64 { return p.refCell("type", uint32(t), p.b.types.has) }

func (p *Profile) methodCell(m MethodRef) uint64 {
	return p.refCell("method", uint32(m), p.b.methods.has)
}

func (p *Profile) refCell(what string, ref uint32, has func(uint32) bool) uint64 {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if ref != 0 && !has(ref) {
		p.fail(fmt.Errorf("%s %d is not of this builder", what, ref))
	}
	return uint64(ref) << refShift
}

func (p *Profile) wordCell(w TypeWord) uint64 {
	v := p.typeCell(w.Type)
	if w.NullSeen {
		v |= disk.TypeNullSeen
	}
	if w.Unknown {
		v |= disk.TypeUnknown
	}
	return v
}
