package verify

import (
	"math"
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
)

// entries checks the entries of a section, which must fill it, and returns their number. unit is the section's index in
// want. ok is false if the reader refuses an entry. If data is set, the entries must be sorted by point and their
// counts are added to the summary. A directory that is not nil must have a row for each entry, in order.
func (w *blockWalker) entries(section []byte, unit int64, data bool, directory []byte) (n int, ok bool) {
	var sum entrySum
	last := int32(math.MinInt32)
	for at := 0; at < len(section); n++ {
		rest := section[at:]
		head := le.Uint64(rest)
		point := int32(uint16(head >> 16))
		size := 0
		if mask := w.typeMask(uint8(head)); mask != nil {
			size = int(mask.Units) * disk.Unit
			if size > len(rest) ||
				!w.maskedEntry(mask, rest[disk.EntryHeaderSize:size], unit+1, data, &sum) {
				return n, false
			}
		} else {
			e, _, err := w.shape.NextEntry(rest)
			if err != nil || !w.entry(e, unit, data, &sum) {
				return n, false
			}
			size = len(e)
			point = e.Point()
		}
		if data && point < last {
			here := disk.RegionOf(w.h, disk.RegionRW).Offset + (w.first+unit)*disk.Unit
			w.wrong(inBlocks, here, disk.RegionRW, here, "an entry at point %d behind one at %d", point, last)
		}
		if directory != nil && !listed(directory, n, point, at) {
			w.unlisted = true
		}
		last = point
		unit += int64(size / disk.Unit)
		at += size
	}
	s := &w.found.summary
	s.TotalCount = disk.SaturatingAdd(s.TotalCount, sum.total)
	s.MaxCount = max(s.MaxCount, sum.most)
	w.found.entries += uint64(n)
	return n, true
}

type entrySum struct{ total, most uint64 }

// typeMask returns the mask of a tag with entries of one size whose only pointers refer to types, or nil.
func (w *blockWalker) typeMask(tag uint8) *disk.Mask {
	if int(tag) >= len(w.masks) || w.masks[tag].Units == 0 || w.masks[tag].Methods || w.masks[tag].Words {
		return nil
	}
	return &w.masks[tag]
}

func (w *blockWalker) maskedEntry(mask *disk.Mask, cells []byte, at int64, data bool, sum *entrySum) bool {
	if data {
		sum.addCounts(cells, mask.Counts, mask.Signed)
	}
	return mask.Pointers == 0 || w.typePointers(cells, at, mask.Pointers)
}

// typePointers checks that the pointers among cells lead to types, and records their positions in want.
func (w *blockWalker) typePointers(cells []byte, at int64, pointers uint64) bool {
	w.notePointers(at, pointers)
	for ; pointers != 0; pointers &= pointers - 1 {
		v := le.Uint64(cells[bits.TrailingZeros64(pointers)*disk.CellSize:])
		if to := v - w.types; v != 0 && (to >= w.typesSize || to%disk.TypeSize != 0) {
			return false
		}
	}
	return true
}

func listed(directory []byte, n int, point int32, offset int) bool {
	rows := directory[n*disk.DirectoryRowSize:]
	return len(rows) >= disk.DirectoryRowSize && le.Uint64(rows) == uint64(uint32(point))|uint64(offset/disk.Unit)<<32
}

func (w *blockWalker) notePointers(at int64, pointers uint64) {
	w.want[at>>6] |= pointers << (at & 63)
	if over := pointers >> (64 - at&63); over != 0 {
		w.want[at>>6+1] |= over
	}
}

// entry checks the pointers of an entry and adds its counts to the summary. It returns false if the reader refuses it.
func (w *blockWalker) entry(e disk.Entry, unit int64, data bool, sum *entrySum) bool {
	mask := w.wide.MaskOfTag(e.Tag())
	if mask == nil {
		return w.entryByCells(e, unit, data, sum)
	}
	signed := data && e.SignedCount()
	cells := e[disk.WideHeaderSize:]
	unit += disk.WideHeaderSize / disk.Unit
	if data {
		sum.addCounts(cells, mask.Counts, signed)
	}
	if mask.Types != 0 && !w.typePointers(cells, unit, mask.Types) {
		return false
	}
	unit += int64(mask.Cells)
	for rows := cells[mask.Cells*disk.CellSize:]; len(rows) > 0; rows = rows[mask.Row*disk.CellSize:] {
		if data {
			sum.addCounts(rows, mask.CountsOfRows, signed)
		}
		if mask.TypesOfRows != 0 && !w.typePointers(rows, unit, mask.TypesOfRows) {
			return false
		}
		unit += int64(mask.Row)
	}
	return true
}

// addCounts adds counts to the sum. If signed is set, it skips negative ones.
func (s *entrySum) addCounts(cells []byte, counts uint64, signed bool) {
	for ; counts != 0; counts &= counts - 1 {
		if n := le.Uint64(cells[bits.TrailingZeros64(counts)*disk.CellSize:]); !signed || int64(n) >= 0 {
			s.total = disk.SaturatingAdd(s.total, n)
			s.most = max(s.most, n)
		}
	}
}

// leads reports whether the reader accepts a pointer to a method or type. unit is its index in want.
func (w *blockWalker) leads(pointer uint64, method bool, unit int64) bool {
	to, ok := disk.PointerOffset(pointer, w.h.Base, w.h.FileSize)
	if !ok || to%disk.Unit != 0 {
		return false
	}
	if !method {
		return w.isType(disk.RefOf(to))
	}
	if !w.holdsMethod(disk.RefOf(to)) {
		return false
	}
	if !w.starts.methods.mayHave(disk.RefOf(to)) {
		at := disk.RegionOf(w.h, disk.RegionRW).Offset + (w.first+unit)*disk.Unit
		w.wrong(inBlocks, at, disk.RegionRW, at, "the method of an entry is at 0x%x, where no method begins", to)
	}
	return true
}

// entryByCells is like entry, for tags without a mask.
func (w *blockWalker) entryByCells(e disk.Entry, unit int64, data bool, sum *entrySum) bool {
	for cell, kind := range w.shape.Pointers(e) {
		v := e.Cell(cell)
		if kind == disk.CellTypeWord {
			v &^= disk.TypeTags
		}
		at := unit + int64(e.CellOffset(cell)/disk.Unit)
		w.notePointers(at, 1)
		if v != 0 && !w.leads(v, kind == disk.CellMethod, at) {
			return false
		}
	}
	if !data {
		return true
	}
	signed := e.SignedCount()
	for cell := range w.shape.Counts(e) {
		sum.addCounts(e[e.CellOffset(cell):], 1, signed)
	}
	return true
}
