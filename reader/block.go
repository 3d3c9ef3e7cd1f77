package reader

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/extent"
	"github.com/profarc/profarc/layout"
)

// block fetches the MethodData block at n. The first time it checks all of it.
func (s *Store) block(n layout.Ref) (disk.Block, error) {
	rw := s.h.Region(disk.RegionRW)
	at := n.Offset()
	if !rw.Holds(at, disk.BlockHeaderSize) {
		return nil, s.corrupt(disk.RegionRW, at, "a MethodData block outside rw")
	}
	if s.isSound(at) && !s.m.Closed() {
		// A checked block needs no second check but of its size.
		if size := disk.BlockSize(s.data[at:]); size >= disk.BlockHeaderSize && size <= rw.End()-at {
			return s.data[at : at+size : at+size], nil
		}
	}
	b, err := s.checkedBlock(rw, at)
	if err != nil {
		return nil, err
	}
	s.sound.Add(s.soundBit(at))
	return b, nil
}

// isSound reports whether a block that begins at an offset was checked.
func (s *Store) isSound(at int64) bool { return s.sound.Has(s.soundBit(at)) }

// soundBit returns the bit of a block in sound. Every unit of rw has one, so that bytes
// inside a checked block that look like a block do not count as checked.
func (s *Store) soundBit(at int64) int64 { return (at - s.h.Region(disk.RegionRW).Offset) / disk.Unit }

// checkedBlock checks all of the block that is at an offset in the file.
func (s *Store) checkedBlock(rw extent.Span, at int64) (disk.Block, error) {
	head, err := s.m.Bytes(disk.RegionRW, at, disk.BlockHeaderSize)
	if err != nil {
		return nil, err
	}
	size := disk.BlockSize(head)
	if size < disk.BlockHeaderSize || !rw.Holds(at, size) {
		return nil, s.corrupt(disk.RegionRW, at, "a MethodData block of %d bytes", size)
	}
	b, err := s.m.Bytes(disk.RegionRW, at, size)
	if err != nil {
		return nil, err
	}
	if err := (&blockCheck{s: s, at: at, block: disk.Block(b), masks: s.masks.Load()}).run(); err != nil {
		return nil, err
	}
	return disk.Block(b), nil
}

// A blockCheck checks all that accessors rely on in a block.
type blockCheck struct {
	s       *Store
	at      int64 // of the block, from the start of the file
	block   disk.Block
	masks   *masks
	dir     []byte // the point directory
	entries int    // data entries seen
}

func (c *blockCheck) run() error {
	if _, err := disk.ParseBlock(c.block); err != nil {
		return c.corrupt(0, "%v", err)
	}
	if m := c.block.Method(); !c.s.inMethods(m) {
		return c.corrupt(0, "a profile of a method at 0x%x, where none is", m.Offset())
	}
	if context, _ := c.block.Links(); context != 0 && !c.s.isContext(context) {
		return c.corrupt(0, "a profile in a context at 0x%x, where none is", context.Offset())
	}
	start, data, dir := c.block.Data()
	c.dir = dir
	if err := c.section(disk.SectionData, start, data); err != nil {
		return err
	}
	if c.block.Presence()&disk.HasSections != 0 {
		for section := disk.SectionData + 1; section < disk.SectionDirectory; section++ {
			if err := c.section(section, c.block.SectionSpan(section).Offset, c.block.Section(section)); err != nil {
				return err
			}
		}
	}
	return c.directory()
}

// corrupt makes an error for a place in the block.
func (c *blockCheck) corrupt(offset int64, format string, args ...any) error {
	return c.s.corrupt(disk.RegionRW, c.at+offset, format, args...)
}

// section walks the entries of a section that begins at an offset in the block. They must fill it exactly.
func (c *blockCheck) section(section disk.BlockSection, start int64, all []byte) error {
	listed := section == disk.SectionData && len(c.dir) != 0
	at, n := 0, 0
	if !listed && c.masks != nil {
		at, n = c.masks.sound(all)
	}
	for ; at < len(all); n++ {
		e, _, err := c.s.shape.Next(all[at:])
		if err != nil {
			return c.corrupt(start+int64(at), "%s entries: %v", section, err)
		}
		if err := c.pointers(e, start+int64(at)); err != nil {
			return err
		}
		if e.Tag() == disk.TagUndecoded {
			c.s.undecoded.Store(true)
		}
		if listed {
			if err := c.listed(n, e.Point(), start, int64(at)); err != nil {
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

// pointers checks where the pointer cells of the entry at offset lead.
func (c *blockCheck) pointers(e disk.Entry, offset int64) error {
	for cell, kind := range c.s.shape.Pointers(e) {
		if err := c.pointer(e.Cell(cell), kind, offset+int64(e.CellOffset(cell))); err != nil {
			return err
		}
	}
	return nil
}

// pointer checks that the pointer cell at offset holds nothing, or points to
// where a record is. The record itself is checked when something of it is
// read: a reader that asks for counts alone touches none of its pages.
func (c *blockCheck) pointer(v uint64, kind disk.CellKind, offset int64) error {
	if kind == disk.CellTypeWord {
		v &^= disk.TypeTags
	}
	if v == 0 {
		return nil
	}
	to, ok := disk.PointerOffset(v, c.s.h.Base, c.s.h.FileSize)
	holds := c.s.isType
	if kind == disk.CellMethod {
		holds = c.s.inMethods
	}
	if !ok || to%disk.Unit != 0 || !holds(disk.RefOf(to)) {
		return c.corrupt(offset, "pointer 0x%x leads to no record", v)
	}
	return nil
}

// listed checks that the point directory has the row of data entry n, at an offset from
// the start of its section. Entries mostly lie in the directory's order.
func (c *blockCheck) listed(n int, point int32, start, offset int64) error {
	if c.hasRow(n, point, offset) || c.hasRow(searchDirectory(c.dir, point, offset), point, offset) {
		return nil
	}
	return c.corrupt(start+offset, "the directory lacks the entry at point %d", point)
}

// hasRow reports whether row i of the directory names an entry.
func (c *blockCheck) hasRow(i int, point int32, offset int64) bool {
	if i >= disk.DirectoryLen(c.dir) {
		return false
	}
	p, o := disk.DirectoryRow(c.dir, i)
	return p == point && o == offset
}

// directory checks that the rows of the directory are sorted and as many as
// there are data entries with a row each.
func (c *blockCheck) directory() error {
	dir, n := c.dir, disk.DirectoryLen(c.dir)
	if n != 0 && n != c.entries {
		return c.corrupt(c.directoryStart(), "a directory of %d rows, there are %d data entries", n, c.entries)
	}
	for i := 1; i < n; i++ {
		p, o := disk.DirectoryRow(dir, i-1)
		q, r := disk.DirectoryRow(dir, i)
		if p > q || p == q && o >= r {
			return c.corrupt(c.directoryStart(), "row %d of the directory does not sort after the one before", i)
		}
	}
	return nil
}

func (c *blockCheck) directoryStart() int64 {
	return c.block.SectionSpan(disk.SectionDirectory).Offset
}

// searchDirectory returns the first row of a directory that is not before an entry at a point and an offset.
func searchDirectory(dir []byte, point int32, offset int64) int {
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
