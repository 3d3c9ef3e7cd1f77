package methoddata

import (
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

func isReceivers(e disk.Entry) bool {
	switch e.Tag() {
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType, layout.TagReceivers:
		return true
	}
	return false
}

// receiverRows are the rows of an entry of any kind that has receivers.
func (m *Merger) receiverRows(e disk.Entry) []countedRow {
	if e.Tag() == layout.TagReceivers {
		return rowsOf(e, disk.ReceiversFixed)
	}
	return strideRows(e, m.Shape.ReceiverRow(0), m.Shape.TypeRows)
}

// receivers adds the type profile of both, which are both wide or both not.
func (m *Merger) receivers(x, y disk.Entry) {
	rows := m.unite(m.receiverRows(x), m.receiverRows(y))
	slices.SortStableFunc(rows, func(a, b countedRow) int { return m.compareRows(layout.TagReceivers, a, b) })
	if x.Tag() == layout.TagReceivers {
		e := m.list(x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(), disk.ReceiversFixed, rows)
		e.SetCell(0, m.firstCount(x, y))
		e.SetCell(1, uint64(disk.UniteTraps(uint32(x.Cell(1)), uint32(y.Cell(1)))))
		return
	}
	e := m.typeLists(x, y)
	e.SetCell(0, m.firstCount(x, y))
	for i := range m.Shape.Gap {
		e.SetCell(1+i, disk.SaturatingAdd(x.Cell(1+i), m.Rules.Weight.Of(y.Cell(1+i))))
	}
	for i := range m.Shape.TypeRows {
		var r countedRow
		if i < len(rows) {
			r = rows[i]
		}
		e.SetCell(m.Shape.ReceiverRow(i), r.what)
		e.SetCell(m.Shape.ReceiverRow(i)+1, r.count)
	}
}

// typeLists adds the one of two HotSpot entries with more types of arguments,
// with the flags, traps and types of both.
func (m *Merger) typeLists(x, y disk.Entry) disk.Entry {
	from, other := x, y
	if len(y) > len(x) {
		from, other = y, x
	}
	e := m.keep(from)
	uniteHeaders(e, other)
	if len(x) == len(y) {
		for cell, kind := range m.Shape.Pointers(e) {
			if kind == disk.CellTypeWord {
				e.SetCell(cell, uniteTypeWords(x.Cell(cell), y.Cell(cell)))
			}
		}
	}
	return e
}

// firstCount is the count of all that found no row.
func (m *Merger) firstCount(x, y disk.Entry) uint64 {
	if x.SignedCount() {
		return uint64(saturateSigned(int64(x.Cell(0)), m.Rules.Weight.OfSigned(int64(y.Cell(0)))))
	}
	return disk.SaturatingAdd(x.Cell(0), m.Rules.Weight.Of(y.Cell(0)))
}

// tooWide reports whether HotSpot's entries of a profile point have to become
// wide ones: because some are, or because their rows do not all fit.
func (m *Merger) tooWide(x, y []disk.Entry) bool {
	return slices.ContainsFunc(x, isWidened) || slices.ContainsFunc(y, isWidened) ||
		m.union(x, y, isReceivers, m.receiverRows) > m.Shape.TypeRows ||
		m.union(x, y, isRet, m.retRows) > m.Shape.BciRows
}

func isWidened(e disk.Entry) bool {
	return e.Tag() == layout.TagReceivers || e.Tag() == layout.TagSuccessors && e.Sub() == layout.SubReturn
}

// union is the number of different rows of entries of two lists.
func (m *Merger) union(x, y []disk.Entry, is func(disk.Entry) bool, rows func(disk.Entry) []countedRow) int {
	var all []uint64
	for _, list := range [][]disk.Entry{x, y} {
		for _, e := range list {
			if !is(e) {
				continue
			}
			for _, r := range rows(e) {
				all = append(all, r.what)
			}
		}
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}
