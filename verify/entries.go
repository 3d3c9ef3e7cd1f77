package verify

import (
	"math"
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A plan says how to check the entries of a tag in one go: where their counts and pointers
// lie. Most tags have one; the others are walked cell by cell.
type plan struct {
	units  int64 // of the entry before its rows, with its header; 0: there is no plan
	row    int   // cells of a row of a wide entry
	first  cellsOf
	rows   cellsOf
	signed bool // counts may be signed
	plain  bool // all entries are of one size, with the header of HotSpot's, and point to types alone
}

// cellsOf has a bit for each cell of the part of an entry.
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

// maxPlanned is how many cells the part of an entry may have: one bit for each.
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

// entries checks the entries of a section, which begins at a word of want and which they
// must fill, and returns their number; ok is false if the reader does not take one of them. Counts are those of
// data alone, for which there may be a directory: a row for each entry, in their order.
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

// disorder notes that the entry at a word of want is at a point before that of the entry before.
func (w *blockWalker) disorder(unit int64, point, last int32) {
	at := w.h.Region(disk.RegionRW).Offset + (w.first+unit)*disk.Unit
	w.wrong(inBlocks, at, disk.RegionRW, at, "an entry at point %d behind one at %d", point, last)
}

// An entrySum has the counts of the entries of a section.
type entrySum struct{ total, most uint64 }

// plainEntry checks the cells of an entry whose plan is plain.
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

// listed reports whether a row of the directory names an entry.
func listed(directory []byte, n int, point int32, offset int) bool {
	rows := directory[n*disk.DirectoryRowSize:]
	return len(rows) >= disk.DirectoryRowSize && le.Uint64(rows) == uint64(uint32(point))|uint64(offset/disk.Unit)<<32
}

// notePointers notes that words from at on are pointer slots.
func (w *blockWalker) notePointers(at int64, pointers uint64) {
	w.want[at>>6] |= pointers << (at & 63)
	if over := pointers >> (64 - at&63); over != 0 {
		w.want[at>>6+1] |= over
	}
}

// entry checks the pointers of an entry, and adds its counts up.
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

// addCounts adds counts to the summary. If the first of the entry may be signed, those below zero are left out.
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

// pointers checks where the pointers among cells lead, and notes their words.
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

// leads reports whether the reader takes a pointer, which is a word of rw, for one that leads to a record.
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
		at := w.h.Region(disk.RegionRW).Offset + (w.first+unit)*disk.Unit
		w.wrong(inBlocks, at, disk.RegionRW, at, "the method of an entry is at 0x%x, where no method begins", to)
	}
	return true
}

// entryByCells is like entry for tags without a plan.
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
