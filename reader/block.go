package reader

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// readBlock returns the MethodData block at n. It checks the whole block the first time.
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
	dir     []byte // point directory; empty if there is none
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

// checkSection walks over the entries of a section that begins at offset start in the block. They must fill it exactly.
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

func (c *blockCheck) directoryStart() int64 {
	return c.block.SectionSpan(disk.SectionDirectory).Offset
}

// searchDirectoryRow returns the index of the first directory row that is not less than (point, offset).
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
