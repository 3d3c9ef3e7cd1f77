package hotspot

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A textExtra is an entry behind the data: a trap at a bci without an entry, or
// a speculative trap.
type textExtra struct {
	at    builder.At
	line  int
	trap  textTrap // of a speculative trap
	bit   bool
	place int // printed offset of a bit entry
}

// Sizes in bytes of the two.
var (
	bitSize  = disk.EntryHeaderSize
	trapSize = disk.EntryHeaderSize + disk.CellSize
)

// extras puts the entries behind the data, which ends at end, in their order.
// The text gives the offsets of the bit entries alone: speculative traps fill
// the gaps between them.
func (m *textMethod) extras(end int, r *TextReport) (order []textExtra) {
	var bits, traps []textExtra
	for _, e := range m.entries {
		if e.at.In == layout.SectionExtra {
			bits = append(bits, textExtra{at: e.at, line: e.line, bit: true, place: e.offset})
		}
		for _, t := range e.traps {
			at := builder.At{Bci: e.at.Bci, Traps: t.traps, In: layout.SectionExtra}
			traps = append(traps, textExtra{at: at, line: e.line, trap: t})
		}
	}
	slices.SortStableFunc(bits, func(a, b textExtra) int { return cmp.Compare(a.place, b.place) })
	for _, b := range bits {
		for len(traps) > 0 && end+trapSize <= b.place {
			order, traps, end = append(order, traps[0]), traps[1:], end+trapSize
		}
		if end != b.place {
			r.Lost.AddAt(LossOffset, b.line)
		}
		order, end = append(order, b), b.place+bitSize
	}
	return append(order, traps...)
}
