package reader

import (
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// masks say of the entries of an archive where they have pointers, so that an adopted store checks and counts
// those without a walk over the cells of each. They are made once, when the store is adopted.
type masks struct {
	narrow disk.Masks
	wide   disk.WideMasks
	types  typesAt
	fixed  *disk.Fixed
	shape  disk.Shape
}

func (s *Store) makeMasks() *masks {
	types := &s.h.Parts[disk.PartTypes]
	return &masks{*s.shape.Masks(), *s.shape.WideMasks(), typesAt{s.h.Base + uint64(types.Offset), uint64(types.Size)},
		s.fixed, s.shape}
}

// sound returns the size and number of the entries at the front of b that are sound and of
// tags that have a mask: nearly all entries.
func (m *masks) sound(b []byte) (size, n int) {
	for ; len(b)-size >= disk.EntryHeaderSize; n++ {
		e := b[size:]
		units := 0
		if int(e[0]) >= len(m.narrow) {
			units = m.wideUnits(e)
		} else if mask := &m.narrow[e[0]]; int(mask.Units)*disk.Unit <= len(e) && !mask.Methods && !mask.Words &&
			m.types.hold(e[disk.EntryHeaderSize:], mask.Pointers) {
			units = int(mask.Units)
		}
		if units == 0 {
			break
		}
		size += units * disk.Unit
	}
	return size, n
}

// wideUnits returns the size of the wide entry at the front of e in units, 0 if it has no
// mask or is not sound.
func (m *masks) wideUnits(e []byte) int {
	mask, cells, rows := m.wideMask(e)
	if mask == nil || !m.types.hold(cells, mask.Types) {
		return 0
	}
	if rows > 0 && mask.TypesOfRows != 0 && !m.types.holdRows(cells[mask.Cells*disk.CellSize:], mask) {
		return 0
	}
	return (disk.WideHeaderSize + len(cells)) / disk.Unit
}

// wideMask returns the mask of the wide entry at the front of e, and its cells and the
// number of its rows, which fit together; nil if it has no mask or they do not fit.
func (m *masks) wideMask(e []byte) (mask *disk.WideMask, cells []byte, rows uint64) {
	mask = m.wide.Of(layout.Tag(e[0]))
	if mask == nil || len(e) < disk.WideHeaderSize {
		return nil, nil, 0
	}
	n, rows := uint64(le.Uint32(e[8:])), uint64(le.Uint32(e[12:]))
	if mask.Row == 0 && rows > 0 || n != uint64(mask.Cells)+rows*uint64(mask.Row) ||
		n > uint64(len(e)-disk.WideHeaderSize)/disk.CellSize {
		return nil, nil, 0
	}
	return mask, e[disk.WideHeaderSize:][:n*disk.CellSize], rows
}

// A typesAt is where pointers to types lead.
type typesAt struct{ first, size uint64 }

// holds reports whether v points to a type, or to nothing.
func (t typesAt) holds(v uint64) bool {
	to := v - t.first
	return v == 0 || to < t.size && to%disk.TypeSize == 0
}

// hold reports whether the cells whose bits are set point to types, or to nothing.
func (t typesAt) hold(cells []byte, set uint64) bool {
	for ; set != 0; set &= set - 1 {
		if !t.holds(le.Uint64(cells[bits.TrailingZeros64(set)*disk.CellSize:])) {
			return false
		}
	}
	return true
}

// holdRows is like hold for each of the rows of a wide entry.
func (t typesAt) holdRows(rows []byte, mask *disk.WideMask) bool {
	width := mask.Row * disk.CellSize
	if mask.TypesOfRows == 1 { // the type stands first, as in most rows
		for ; len(rows) >= disk.CellSize; rows = rows[min(width, len(rows)):] {
			if !t.holds(le.Uint64(rows)) {
				return false
			}
		}
		return true
	}
	for ; len(rows) > 0; rows = rows[width:] {
		if !t.hold(rows, mask.TypesOfRows) {
			return false
		}
	}
	return true
}

// pointers counts the pointer cells of entries, which were checked.
func (m *masks) pointers(entries []byte) (n int64) {
	for len(entries) >= disk.EntryHeaderSize {
		tag := entries[0]
		if size := int(m.fixed.Units[tag]) * disk.Unit; size != 0 && size <= len(entries) {
			n += int64(m.fixed.Pointers[tag])
			entries = entries[size:]
			continue
		}
		if mask, cells, rows := m.wideMask(entries); mask != nil {
			n += int64(bits.OnesCount64(mask.Types)) + int64(rows)*int64(bits.OnesCount64(mask.TypesOfRows))
			entries = entries[disk.WideHeaderSize+len(cells):]
			continue
		}
		e, rest, err := m.shape.Next(entries)
		if err != nil {
			break // the file was changed since the block was checked
		}
		for range m.shape.Pointers(e) {
			n++
		}
		entries = rest
	}
	return n
}
