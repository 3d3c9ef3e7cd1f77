package verify

import (
	"math"
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A plan has the positions of the counts and pointers in the entries of one tag. It exists for most tags. Entries of
// other tags are checked cell by cell.
type plan struct {
	units  int64 // size of the header and the cells before the rows; 0 if there is no plan
	row    int   // number of cells of each row; 0 if there are no rows
	first  cellsOf
	rows   cellsOf
	signed bool // counts may be signed
	plain  bool // entries have HotSpot's header and a fixed size, and their only pointers refer to types
}

type cellsOf struct{ counts, types, typeWords, methods uint64 }

func (c *cellsOf) pointers() uint64 { return c.types | c.typeWords | c.methods }

func (c *cellsOf) addCell(cell int, kind disk.CellKind) {
	switch bit := uint64(1) << cell; kind {
	case disk.CellCount:
		c.counts |= bit
	case disk.CellType:
		c.types |= bit
	case disk.CellTypeWord:
		c.typeWords |= bit
	case disk.CellMethod:
		c.methods |= bit
	}
}

type plans [256]plan

func plansOf(shape disk.Shape) *plans {
	all := new(plans)
	for tag := range all {
		if schema, ok := shape.Schema(layout.Tag(tag)); ok {
			all[tag] = planOf(shape, layout.Tag(tag), schema)
		}
	}
	return all
}

// maxPlanned is the maximum number of cells in a plan, since cellsOf has 64 bits.
const maxPlanned = 64

func planOf(shape disk.Shape, tag layout.Tag, schema *disk.Schema) plan {
	cells := shape.Cells(tag, 0)
	if cells > maxPlanned {
		return plan{}
	}
	e := make(disk.Entry, disk.WideHeaderSize+disk.CellSize*cells)
	e[0] = byte(tag)
	p := plan{units: int64(e.HeaderSize()/disk.Unit + cells), signed: len(schema.SignedSubs) > 0}
	for g := range shape.Groups(e) {
		if g.Repeat == disk.PerCell || g.Repeat == disk.IfOdd || g.Repeat == disk.PerEight {
			return plan{}
		}
		part := &p.first
		first := g.First
		n := g.N
		if g.Repeat == disk.PerRow {
			part = &p.rows
			first = 0
			n = 1
			p.row = len(g.Cells)
		}
		for i := range n * len(g.Cells) {
			part.addCell(first+i, g.Cells[i%len(g.Cells)].Kind)
		}
	}
	p.plain = !disk.IsWide(tag) && p.first.pointers() == p.first.types
	return p
}

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
		if p := &w.plans[uint8(head)]; p.plain {
			size = int(p.units) * disk.Unit
			if size > len(rest) ||
				!w.plainEntry(p, rest[disk.EntryHeaderSize:size], unit+1, data, &sum) {
				return n, false
			}
		} else {
			e, _, err := w.shape.NextEntry(rest)
			if err != nil || !w.entry(e, unit, data) {
				return n, false
			}
			size = len(e)
			point = e.Point()
		}
		if data && point < last {
			w.disorder(unit, point, last)
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

func (w *blockWalker) disorder(unit int64, point, last int32) {
	at := disk.RegionOf(w.h, disk.RegionRW).Offset + (w.first+unit)*disk.Unit
	w.wrong(inBlocks, at, disk.RegionRW, at, "an entry at point %d behind one at %d", point, last)
}

type entrySum struct{ total, most uint64 }

func (w *blockWalker) plainEntry(p *plan, cells []byte, at int64, data bool, sum *entrySum) bool {
	if data {
		total := sum.total
		most := sum.most
		for counts := p.first.counts; counts != 0; counts &= counts - 1 {
			if n := le.Uint64(cells[bits.TrailingZeros64(counts)*disk.CellSize:]); !p.signed || int64(n) >= 0 {
				total = disk.SaturatingAdd(total, n)
				most = max(most, n)
			}
		}
		sum.total, sum.most = total, most
	}
	if p.first.types == 0 {
		return true
	}
	w.notePointers(at, p.first.types)
	for types := p.first.types; types != 0; types &= types - 1 {
		v := le.Uint64(cells[bits.TrailingZeros64(types)*disk.CellSize:])
		if v == 0 {
			continue
		}
		if to := v - w.types; to >= w.typesSize || to%disk.TypeSize != 0 {
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
func (w *blockWalker) entry(e disk.Entry, unit int64, data bool) bool {
	p := &w.plans[e[0]]
	if p.units == 0 {
		return w.entryByCells(e, unit, data)
	}
	header := int64(e.HeaderSize() / disk.Unit)
	signed := data && p.signed && e.SignedCount()
	cells := e[header*disk.Unit : p.units*disk.Unit]
	rows := e[p.units*disk.Unit:]
	if data && p.first.counts != 0 {
		w.addCounts(cells, p.first.counts, signed)
	}
	if pointers := p.first.pointers(); pointers != 0 && !w.pointers(cells, unit+header, &p.first, pointers) {
		return false
	}
	pointers := p.rows.pointers()
	for unit += p.units; p.row != 0 && len(rows) >= p.row*disk.CellSize; unit += int64(p.row) {
		if data {
			w.addCounts(rows, p.rows.counts, signed)
		}
		if pointers != 0 && !w.pointers(rows, unit, &p.rows, pointers) {
			return false
		}
		rows = rows[p.row*disk.CellSize:]
	}
	return true
}

// addCounts adds counts to the summary. If signed is set, it skips negative ones.
func (w *blockWalker) addCounts(cells []byte, counts uint64, signed bool) {
	s := &w.found.summary
	for ; counts != 0; counts &= counts - 1 {
		n := le.Uint64(cells[bits.TrailingZeros64(counts)*disk.CellSize:])
		if signed && int64(n) < 0 {
			continue
		}
		s.TotalCount = disk.SaturatingAdd(s.TotalCount, n)
		s.MaxCount = max(s.MaxCount, n)
	}
}

// pointers checks the targets of the pointers among cells, and records their positions in want.
func (w *blockWalker) pointers(cells []byte, at int64, kinds *cellsOf, pointers uint64) bool {
	w.notePointers(at, pointers)
	for rest := pointers; rest != 0; rest &= rest - 1 {
		cell := bits.TrailingZeros64(rest)
		v := le.Uint64(cells[cell*disk.CellSize:])
		if kinds.typeWords>>cell&1 != 0 {
			v &^= disk.TypeTags
		}
		if v != 0 && !w.leads(v, kinds.methods>>cell&1 != 0, at+int64(cell)) {
			return false
		}
	}
	return true
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

// entryByCells is like entry, for tags without a plan.
func (w *blockWalker) entryByCells(e disk.Entry, unit int64, data bool) bool {
	for cell, kind := range w.shape.Pointers(e) {
		one := cellsOf{}
		one.addCell(0, kind)
		offset := e.CellOffset(cell)
		if !w.pointers(e[offset:], unit+int64(offset/disk.Unit), &one, 1) {
			return false
		}
	}
	if !data {
		return true
	}
	signed := e.SignedCount()
	for cell := range w.shape.Counts(e) {
		w.addCounts(e[e.CellOffset(cell):], 1, signed)
	}
	return true
}
