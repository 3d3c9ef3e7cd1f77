package disk

import "github.com/profarc/profarc/layout"

// A Mask describes the cells of an entry, one bit per cell.
type Mask struct {
	Units    uint32 // entry size; 0 if it varies
	Pointers uint64
	Counts   uint64
	Methods  bool // pointers refer to methods, not to types
	Words    bool // some pointers have type-word tags
	Signed   bool // negative counts are ignored
}

// Masks has the masks of HotSpot's tags with entries of one size, by tag.
type Masks [16]Mask

// Masks returns the masks for the shape.
func (s Shape) Masks() *Masks {
	m := new(Masks)
	fixed := s.FixedSizes()
	for tag := range m {
		if units := fixed.Units[tag]; units > 0 && units <= 64 {
			m[tag] = s.fixedMask(layout.Tag(tag), uint32(units))
		}
	}
	return m
}

func (s Shape) fixedMask(tag layout.Tag, units uint32) Mask {
	e := make(Entry, units*Unit)
	e[0] = byte(tag)
	m := Mask{Units: units, Signed: e.SignedCount()}
	for cell := range s.Counts(e) {
		m.Counts |= 1 << cell
	}
	for cell, kind := range s.Pointers(e) {
		m.Pointers |= 1 << cell
		m.Words = m.Words || kind == CellTypeWord
		m.Methods = kind == CellMethod // no entry refers to both types and methods
	}
	return m
}

// A WideMask marks the type pointers of a wide entry, in the cells before the rows and in the cells of a row.
type WideMask struct {
	Cells, Row         int
	Types, TypesOfRows uint64
}

// WideMasks has the masks of wide tags, by tag less 64. A tag has one if its entries consist of single cells and rows
// of equal cells, and if all its pointers refer to types. TagUndecoded has none, since a check must notice it.
type WideMasks [256 - firstWide]*WideMask

const firstWide = 64

// MaskOfTag returns the mask of a tag, or nil.
func (m *WideMasks) MaskOfTag(tag layout.Tag) *WideMask {
	if !IsWide(tag) {
		return nil
	}
	return m[tag-firstWide]
}

// WideMasks returns the masks for the shape.
func (s Shape) WideMasks() *WideMasks {
	m := new(WideMasks)
	for i := range m {
		m[i] = s.wideMask(layout.Tag(firstWide + i))
	}
	return m
}

func (s Shape) wideMask(tag layout.Tag) *WideMask {
	first := s.Cells(tag, 0)
	both := s.Cells(tag, 1)
	if both == 0 || tag == TagUndecoded || first > 64 || both-first > 64 {
		return nil
	}
	for _, rows := range [...]int{2, 3, 64} {
		if s.Cells(tag, rows) != first+rows*(both-first) {
			return nil
		}
	}
	m := &WideMask{Cells: first, Row: both - first}
	_, e := NewWide(nil, tag, 0, 0, 0, both, 1)
	for cell, kind := range s.Pointers(e) {
		switch {
		case kind != CellType:
			return nil
		case cell < first:
			m.Types |= 1 << cell
		default:
			m.TypesOfRows |= 1 << (cell - first)
		}
	}
	return m
}
