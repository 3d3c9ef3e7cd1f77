package disk

import (
	"github.com/profarc/profarc/layout"
)

// A Mask says which cells of an entry are what, a bit a cell.
type Mask struct {
	Units    uint32 // size of the entry; 0 if it depends on the entry
	Pointers uint64
	Counts   uint64
	Methods  bool // the pointers lead to methods, not to types
	Words    bool // some pointers have the tags of a type word
	Signed   bool // counts below zero are no counts
}

// Masks are those of HotSpot's tags whose entries are all of one size.
type Masks [16]Mask

// Masks returns the masks of entries.
func (s Shape) Masks() *Masks {
	m := new(Masks)
	fixed := s.Fixed()
	for tag := range m {
		if units := fixed.Units[tag]; units > 0 && units <= 64 {
			m[tag] = s.mask(layout.Tag(tag), uint32(units))
		}
	}
	return m
}

func (s Shape) mask(tag layout.Tag, units uint32) Mask {
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
