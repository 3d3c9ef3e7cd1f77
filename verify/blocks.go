package verify

import (
	"math"
	"slices"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/relocate"
)

// blocks walks rw from end to end: MethodData blocks must fill it, each must be sound, and the relocation
// bitmaps must name the pointers of their entries and nothing else.
func (c *check) blocks() error {
	rw := c.h.Region(disk.RegionRW)
	slots, err := relocate.Open(c.m, c.h.Region(disk.RegionBM), rw)
	if err != nil {
		return err
	}
	w := &blockWalk{check: c, slots: slots, rw: rw}
	for at := rw.Offset; at < rw.End(); {
		if err := c.interrupted(); err != nil {
			return err
		}
		p, err := c.s.ProfileAt(disk.RefOf(at))
		if err != nil {
			return err
		}
		if err := w.block(at, p); err != nil {
			return err
		}
		c.starts.blocks.add(p.Ref())
		c.starts.unlinked.add(p.Ref())
		c.report.Counts.Profiles++
		at += int64(len(p.Bytes()))
	}
	return nil
}

// A blockWalk compares, block by block, pointers and bitmaps.
type blockWalk struct {
	*check
	slots     *relocate.Map
	rw        layout.Span
	want, got []int64 // offsets of pointer cells from the start of rw
}

func (w *blockWalk) block(at int64, p reader.Profile) error {
	w.count(p)
	if err := w.methodRecord(disk.RegionRW, at, "method of a profile", disk.Block(p.Bytes()).Method()); err != nil {
		return err
	}
	from := at - w.rw.Offset
	w.want, w.got = w.want[:0], w.got[:0]
	if err := w.entries(p, from); err != nil {
		return err
	}
	for slot, err := range w.slots.Slots(from, from+int64(len(p.Bytes()))) {
		if err != nil {
			return err
		}
		w.got = append(w.got, slot)
	}
	w.report.Counts.Pointers += uint64(len(w.want))
	if slices.Equal(w.want, w.got) {
		return nil
	}
	return w.wrong(disk.RegionBM, w.h.Region(disk.RegionBM).Offset,
		"the bitmaps name %d pointers in the block at 0x%x, which has %d, or others", len(w.got), at, len(w.want))
}

// entries counts the entries of a block, checks what their pointers lead to, and notes where these lie.
func (w *blockWalk) entries(p reader.Profile, from int64) error {
	b := disk.Block(p.Bytes())
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		start, last := from+b.SectionSpan(section).Offset, int32(math.MinInt32)
		for e := range p.Section(section) {
			w.report.Counts.Entries++
			if section == layout.SectionData {
				w.add(disk.Entry(e.Bytes()))
				if e.Point() < last {
					return w.wrong(disk.RegionRW, w.rw.Offset+start+int64(e.Offset()), "an entry at point %d behind one at %d",
						e.Point(), last)
				}
				last = e.Point()
			}
			if err := w.interrupted(); err != nil {
				return err
			}
			if err := w.pointers(disk.Entry(e.Bytes()), start+int64(e.Offset())); err != nil {
				return err
			}
		}
	}
	return nil
}

// pointers notes the pointer slots of an entry that is at an offset of rw, and
// checks where those to methods lead.
func (w *blockWalk) pointers(e disk.Entry, offset int64) error {
	for cell, kind := range w.shape.Pointers(e) {
		at := offset + int64(e.CellOffset(cell))
		w.want = append(w.want, at)
		if kind == disk.CellMethod {
			if err := w.pointer(w.rw.Offset+at, e.Cell(cell)); err != nil {
				return err
			}
		}
	}
	return nil
}
