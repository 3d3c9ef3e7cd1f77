package hotspot

import (
	"cmp"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// The text does not say how many rows its entries have room for, but where each
// entry lies: the distance to the next is its size.

// defaultRows is HotSpot's default of TypeProfileWidth and BciProfileWidth.
const defaultRows = 2

// maxShapeRows is the most rows that an archive's settings can have.
const maxShapeRows = 64

// place tells the data entries from the traps that have no entry of their own:
// HotSpot keeps those behind all others.
func (m *textMethod) place() {
	last := -1
	for _, e := range m.entries {
		if e.tag != layout.TagBit {
			last = max(last, e.offset)
		}
	}
	for i := range m.entries {
		if e := &m.entries[i]; e.tag == layout.TagBit && e.offset > last {
			e.at.In = layout.SectionExtra
		}
	}
}

// A rowVote counts how often a number of rows was seen.
type rowVote map[int]int

// vote notes that an entry whose cells are fixed+each*rows has so many.
func (v rowVote) vote(cells, fixed, each int) {
	if n := cells - fixed; n >= 0 && n%each == 0 && n/each <= maxShapeRows {
		v[n/each]++
	}
}

// most is the number that was seen most often, and at least atLeast.
func (v rowVote) most(atLeast int) int {
	if len(v) == 0 {
		return max(defaultRows, atLeast)
	}
	return max(atLeast, slices.MaxFunc(slices.Sorted(maps.Keys(v)), func(a, b int) int { return cmp.Compare(v[a], v[b]) }))
}

// shape infers the settings of the VM from the offsets of its entries.
func (d *textDump) shape() (s disk.Shape) {
	if d.hasGap {
		s.Gap = 1
	}
	types, returns := rowVote{}, rowVote{}
	var typeRows, bciRows int // printed
	for _, m := range d.methods {
		for i, e := range m.entries {
			typeRows, bciRows = max(typeRows, len(e.rows)), max(bciRows, len(e.returns))
			if i+1 == len(m.entries) || m.entries[i+1].at.In != layout.SectionData {
				continue
			}
			cells := (m.entries[i+1].offset - e.offset - disk.EntryHeaderSize) / disk.CellSize
			switch e.tag {
			case layout.TagReceiverType, layout.TagVirtualCall:
				types.vote(cells, 1+s.Gap, 2)
			case layout.TagVirtualCallType:
				types.vote(cells, 2+s.Gap+e.types.length(), 2)
			case layout.TagRet:
				returns.vote(cells, 1, 3)
			}
		}
	}
	s.TypeRows, s.BciRows = types.most(typeRows), returns.most(bciRows)
	return s
}

// size is the size in bytes of an entry in a VM of that shape.
func (e *textEntry) size(s disk.Shape) int {
	length := e.types.length()
	if e.tag == layout.TagMultiBranch {
		length = 2 * len(e.cases)
	}
	return disk.EntryHeaderSize + s.Cells(e.tag, length)*disk.CellSize
}

// checkOffsets compares the printed offsets of the data entries with those that
// the shape gives them, and gives the end of the data. One gap counts once.
// Entries must come in the order of their bytecodes.
func (m *textMethod) checkOffsets(s disk.Shape, r *TextReport) (end int) {
	bci := -1
	for i := range m.entries {
		e := &m.entries[i]
		if e.at.In != layout.SectionData {
			continue
		}
		if e.offset != end || int(e.at.Bci) <= bci {
			r.Lost.AddAt(LossOffset, e.line)
		}
		bci = int(e.at.Bci)
		end = e.offset + e.size(s)
	}
	return end
}
