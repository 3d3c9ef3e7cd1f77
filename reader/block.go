package reader

import (
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func (s *Store) readBlock(n layout.Ref) (disk.Block, error) {
	rw := disk.RegionOf(s.h, disk.RegionRW)
	at := n.Offset()
	if !rw.Holds(at, disk.BlockHeaderSize) {
		return nil, s.corruptError(disk.RegionRW, at, "a MethodData block outside rw")
	}
	if s.isCheckedBlock(at) && !s.m.Closed() {
		// The file may have changed since the check, so check the size again.
		if size := disk.BlockSize(s.data[at:]); size >= disk.BlockHeaderSize && size <= rw.End()-at {
			return s.data[at : at+size : at+size], nil
		}
	}
	b, err := s.checkBlock(rw, at)
	if err != nil {
		return nil, err
	}
	s.checkedBlocks.Add(s.checkedBit(at))
	return b, nil
}

func (s *Store) isCheckedBlock(at int64) bool { return s.checkedBlocks.Has(s.checkedBit(at)) }

// checkedBit returns the index of a block in checkedBlocks. Each unit of rw has a bit, so that bytes inside a checked
// block that look like a block do not count as checked.
func (s *Store) checkedBit(at int64) int64 {
	return (at - disk.RegionOf(s.h, disk.RegionRW).Offset) / disk.Unit
}

func (s *Store) checkBlock(rw layout.Span, at int64) (disk.Block, error) {
	head, err := s.m.Bytes(disk.RegionRW, at, disk.BlockHeaderSize)
	if err != nil {
		return nil, err
	}
	size := disk.BlockSize(head)
	if size < disk.BlockHeaderSize || !rw.Holds(at, size) {
		return nil, s.corruptError(disk.RegionRW, at, "a MethodData block of %d bytes", size)
	}
	b, err := s.m.Bytes(disk.RegionRW, at, size)
	if err != nil {
		return nil, err
	}
	if err := (&blockCheck{s: s, at: at, block: disk.Block(b), masks: s.masks.Load()}).checkAll(); err != nil {
		return nil, err
	}
	return disk.Block(b), nil
}

type blockCheck struct {
	s       *Store
	at      int64 // offset of the block in the file
	block   disk.Block
	masks   *masks
	dir     []byte // point directory, or empty
	entries int    // number of data entries
}

func (c *blockCheck) checkAll() error {
	if _, err := disk.ParseBlock(c.block); err != nil {
		return c.corruptError(0, "%v", err)
	}
	if m := c.block.Method(); !c.s.isInMethods(m) {
		return c.corruptError(0, "a profile of a method at 0x%x, where none is", m.Offset())
	}
	if context, _ := c.block.Links(); context != 0 && !c.s.isContext(context) {
		return c.corruptError(0, "a profile in a context at 0x%x, where none is", context.Offset())
	}
	start, data, dir := c.block.Data()
	c.dir = dir
	if err := c.checkSection(disk.SectionData, start, data); err != nil {
		return err
	}
	if c.block.Presence()&disk.HasSections != 0 {
		for section := disk.SectionData + 1; section < disk.SectionDirectory; section++ {
			if err := c.checkSection(section, c.block.SectionSpan(section).Offset, c.block.Section(section)); err != nil {
				return err
			}
		}
	}
	return c.checkDirectory()
}

func (c *blockCheck) corruptError(offset int64, format string, args ...any) error {
	return c.s.corruptError(disk.RegionRW, c.at+offset, format, args...)
}

func (c *blockCheck) checkSection(section disk.BlockSection, start int64, all []byte) error {
	listed := section == disk.SectionData && len(c.dir) != 0
	at, n := 0, 0
	if !listed && c.masks != nil {
		at, n = c.masks.skipSound(all)
	}
	for ; at < len(all); n++ {
		e, _, err := c.s.shape.NextEntry(all[at:])
		if err != nil {
			return c.corruptError(start+int64(at), "%s entries: %v", section, err)
		}
		if err := c.checkPointers(e, start+int64(at)); err != nil {
			return err
		}
		if e.Tag() == disk.TagUndecoded {
			c.s.undecoded.Store(true)
		}
		if listed {
			if err := c.checkDirectoryRow(n, e.Point(), start, int64(at)); err != nil {
				return err
			}
		}
		at += len(e)
	}
	if section == disk.SectionData {
		c.entries = n
	}
	return nil
}

func (c *blockCheck) checkPointers(e disk.Entry, offset int64) error {
	for cell, kind := range c.s.shape.Pointers(e) {
		if err := c.checkPointer(e.Cell(cell), kind, offset+int64(e.CellOffset(cell))); err != nil {
			return err
		}
	}
	return nil
}

// checkPointer checks that the pointer cell at offset is null or points to a record. The record is checked when it is
// first read, so that reading only counts does not touch its page.
func (c *blockCheck) checkPointer(v uint64, kind disk.CellKind, offset int64) error {
	if kind == disk.CellTypeWord {
		v &^= disk.TypeTags
	}
	if v == 0 {
		return nil
	}
	to, ok := disk.PointerOffset(v, c.s.h.Base, c.s.h.FileSize)
	holds := c.s.isType
	if kind == disk.CellMethod {
		holds = c.s.isInMethods
	}
	if !ok || to%disk.Unit != 0 || !holds(disk.RefOf(to)) {
		return c.corruptError(offset, "pointer 0x%x leads to no record", v)
	}
	return nil
}

// checkDirectoryRow checks that the point directory has a row for data entry n. offset counts from the start of the
// section. Entries are usually in the order of the directory.
func (c *blockCheck) checkDirectoryRow(n int, point int32, start, offset int64) error {
	if c.directoryHas(n, point, offset) || c.directoryHas(searchDirectoryRow(c.dir, point, offset), point, offset) {
		return nil
	}
	return c.corruptError(start+offset, "the directory lacks the entry at point %d", point)
}

func (c *blockCheck) directoryHas(i int, point int32, offset int64) bool {
	if i >= disk.DirectoryLen(c.dir) {
		return false
	}
	p, o := disk.DirectoryRow(c.dir, i)
	return p == point && o == offset
}

// checkDirectory checks that the directory is sorted and has one row per data entry, or none.
func (c *blockCheck) checkDirectory() error {
	dir, n := c.dir, disk.DirectoryLen(c.dir)
	if n != 0 && n != c.entries {
		return c.corruptError(c.directoryStart(), "a directory of %d rows, there are %d data entries", n, c.entries)
	}
	for i := 1; i < n; i++ {
		p, o := disk.DirectoryRow(dir, i-1)
		q, r := disk.DirectoryRow(dir, i)
		if p > q || p == q && o >= r {
			return c.corruptError(c.directoryStart(), "row %d of the directory does not sort after the one before", i)
		}
	}
	return nil
}

func (c *blockCheck) directoryStart() int64 { return c.block.SectionSpan(disk.SectionDirectory).Offset }

func searchDirectoryRow(dir []byte, point int32, offset int64) int {
	low := 0
	high := disk.DirectoryLen(dir)
	for low < high {
		mid := int(uint(low+high) / 2)
		if p, o := disk.DirectoryRow(dir, mid); p < point || p == point && o < offset {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

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
