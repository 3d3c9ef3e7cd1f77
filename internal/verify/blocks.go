package verify

import (
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/relocate"
)

// starts is a set of places in rw, one bit a unit.
type starts []uint64

func newStarts(rw layout.Span) starts { return make(starts, (rw.Size/layout.Unit+63)/64) }

func (s starts) add(unit int64) { s[unit/64] |= 1 << (unit % 64) }

// remove takes a place out and reports whether it was there.
func (s starts) remove(unit int64) bool {
	had := s[unit/64]>>(unit%64)&1 != 0
	s[unit/64] &^= 1 << (unit % 64)
	return had
}

// blocks walks rw from end to end: MethodData blocks must fill it, each must be
// sound, and the relocation bitmaps must name the pointers of their entries and
// nothing else.
func (c *check) blocks() error {
	rw := c.h.Region(layout.RegionRW)
	c.starts = newStarts(rw)
	slots, err := relocate.Open(c.m, c.h.Region(layout.RegionBM), rw)
	if err != nil {
		return err
	}
	w := &blockWalk{check: c, slots: slots, rw: rw}
	for at := rw.Offset; at < rw.End(); {
		if err := c.interrupted(); err != nil {
			return err
		}
		p, err := c.s.ProfileAt(layout.NarrowOf(at))
		if err != nil {
			return err
		}
		if err := w.block(at, p); err != nil {
			return err
		}
		c.starts.add((at - rw.Offset) / layout.Unit)
		c.report.Counts.Profiles++
		at += int64(len(p.Block()))
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
	from := at - w.rw.Offset
	w.want, w.got = w.entries(p, from, w.want[:0]), w.got[:0]
	err := w.slots.Range(from, from+int64(len(p.Block())), func(slot int64) bool {
		w.got = append(w.got, slot)
		return true
	})
	if err != nil {
		return err
	}
	w.report.Counts.Pointers += uint64(len(w.want))
	if slices.Equal(w.want, w.got) {
		return nil
	}
	return w.wrong(layout.RegionBM, w.h.Region(layout.RegionBM).Offset,
		"the bitmaps name %d pointers in the block at 0x%x, which has %d, or others", len(w.got), at, len(w.want))
}

// entries counts the entries of a block and appends where their pointer cells
// lie.
func (w *blockWalk) entries(p reader.Profile, from int64, cells []int64) []int64 {
	b := p.Block()
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		start := from + b.SectionSpan(section).Offset
		for e := range p.Section(section) {
			w.report.Counts.Entries++
			if section == layout.SectionData {
				w.add(e.Raw())
			}
			w.shape.Pointers(e.Raw(), func(cell int, _ layout.PointerKind) bool {
				cells = append(cells, start+int64(e.Offset()+e.Raw().CellOffset(cell)))
				return true
			})
		}
	}
	return cells
}
