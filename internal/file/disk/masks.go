package disk

import "github.com/profarc/profarc/layout"

// A Mask says which cells of an entry are what, a bit a cell.
type Mask struct {
	Units    uint32 // size of the entry; 0 if it depends on the entry
	Pointers uint64
	Counts   uint64
	Methods  bool // the pointers lead to methods, not to types
	Words    bool // some pointers have the tags of a type word
	Signed   bool // counts below zero are no counts
}

// Masks has the masks of HotSpot's tags whose entries are all of one size.
type Masks [16]Mask

// Masks returns the masks of entries.
func (s Shape) Masks() *Masks {
	m := new(Masks)
	fixed := s.Fixed()
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
		m.Methods = kind == CellMethod // an entry points to types or to methods, never to both
	}
	return m
}

// A WideMask says where in a wide entry pointers to types lie: in the cells before the
// rows, and in the cells of a row.
type WideMask struct {
	Cells, Row         int
	Types, TypesOfRows uint64
}

// WideMasks has the masks of the wide tags whose entries are of cells that stand once and of
// rows of equal cells, and point to types alone, by tag less 64; nil for others, and for
// TagUndecoded, which a check must notice.
type WideMasks [256 - firstWide]*WideMask

const firstWide = 64

// Of returns the mask of a tag, nil if there is none.
func (m *WideMasks) Of(tag layout.Tag) *WideMask {
	if !IsWide(tag) {
		return nil
	}
	return m[tag-firstWide]
}

// WideMasks returns the masks of wide entries.
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
