package reader

import (
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// masks have the positions of pointers in entries, so that an adopted store checks and counts most entries without a
// walk over their cells. They are built once, on adoption.
type masks struct {
	narrow disk.Masks
	wide   disk.WideMasks
	types  typeRecords
	fixed  *disk.Fixed
	shape  disk.Shape
}

func (s *Store) makeMasks() *masks {
	types := &s.h.Parts[disk.PartTypes]
	return &masks{*s.shape.Masks(), *s.shape.WideMasks(), typeRecords{s.h.Base + uint64(types.Offset), uint64(types.Size)},
		s.fixed, s.shape}
}

// skipSound returns size in bytes and number of the leading entries of b that are sound and have masks.
func (m *masks) skipSound(b []byte) (size, n int) {
	for ; len(b)-size >= disk.EntryHeaderSize; n++ {
		e := b[size:]
		units := 0
		if int(e[0]) >= len(m.narrow) {
			units = m.soundWideUnits(e)
		} else if mask := &m.narrow[e[0]]; int(mask.Units)*disk.Unit <= len(e) && !mask.Methods && !mask.Words &&
			m.types.arePointers(e[disk.EntryHeaderSize:], mask.Pointers) {
			units = int(mask.Units)
		}
		if units == 0 {
			break
		}
		size += units * disk.Unit
	}
	return size, n
}

// soundWideUnits returns the size in units of the wide entry at the front of e; 0 if it has no mask or is not sound.
func (m *masks) soundWideUnits(e []byte) int {
	mask, cells, rows := m.parseWide(e)
	if mask == nil || !m.types.arePointers(cells, mask.Types) {
		return 0
	}
	if rows > 0 && mask.TypesOfRows != 0 && !m.types.areRowPointers(cells[mask.Cells*disk.CellSize:], mask) {
		return 0
	}
	return (disk.WideHeaderSize + len(cells)) / disk.Unit
}

// parseWide returns the mask, the cells and the number of rows of the wide entry at the front of e. mask is nil if
// there is none or if the sizes are inconsistent.
func (m *masks) parseWide(e []byte) (mask *disk.WideMask, cells []byte, rows uint64) {
	mask = m.wide.MaskOfTag(layout.Tag(e[0]))
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

type typeRecords struct{ first, size uint64 }

func (t typeRecords) isPointer(v uint64) bool {
	to := v - t.first
	return v == 0 || to < t.size && to%disk.TypeSize == 0
}

// arePointers reports whether the cells whose bits are set are null or point to types.
func (t typeRecords) arePointers(cells []byte, set uint64) bool {
	for ; set != 0; set &= set - 1 {
		if !t.isPointer(le.Uint64(cells[bits.TrailingZeros64(set)*disk.CellSize:])) {
			return false
		}
	}
	return true
}

func (t typeRecords) areRowPointers(rows []byte, mask *disk.WideMask) bool {
	width := mask.Row * disk.CellSize
	if mask.TypesOfRows == 1 { // the type is the first cell, as in most rows
		for ; len(rows) >= disk.CellSize; rows = rows[min(width, len(rows)):] {
			if !t.isPointer(le.Uint64(rows)) {
				return false
			}
		}
		return true
	}
	for ; len(rows) > 0; rows = rows[width:] {
		if !t.arePointers(rows, mask.TypesOfRows) {
			return false
		}
	}
	return true
}

func (m *masks) countPointers(entries []byte) (n int64) {
	for len(entries) >= disk.EntryHeaderSize {
		tag := entries[0]
		if size := int(m.fixed.Units[tag]) * disk.Unit; size != 0 && size <= len(entries) {
			n += int64(m.fixed.Pointers[tag])
			entries = entries[size:]
			continue
		}
		if mask, cells, rows := m.parseWide(entries); mask != nil {
			n += int64(bits.OnesCount64(mask.Types)) + int64(rows)*int64(bits.OnesCount64(mask.TypesOfRows))
			entries = entries[disk.WideHeaderSize+len(cells):]
			continue
		}
		e, rest, err := m.shape.NextEntry(entries)
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
