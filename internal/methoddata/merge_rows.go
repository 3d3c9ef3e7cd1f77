package methoddata

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A countedRow is a row of a list: what was seen, and how often.
type countedRow struct{ what, count uint64 }

// unite merges two lists. A list that names something more than once keeps it
// so: the counts of the first, the highest, are summed, and so on.
func (m *Merger) unite(x, y []countedRow) []countedRow {
	byWhat := func(a, b countedRow) int { return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(b.count, a.count)) }
	slices.SortFunc(x, byWhat)
	slices.SortFunc(y, byWhat)
	return m.uniteSorted(x, y, m.Rules.Weight)
}

// uniteSorted merges two lists that are sorted by what was seen. Those of the
// second that the first has not are multiplied by fresh.
func (m *Merger) uniteSorted(x, y []countedRow, fresh layout.Weight) (all []countedRow) {
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].what < y[0].what:
			all, x = append(all, x[0]), x[1:]
		case len(x) == 0 || y[0].what < x[0].what:
			all, y = append(all, countedRow{y[0].what, fresh.Of(y[0].count)}), y[1:]
		default:
			all = append(all, countedRow{x[0].what, disk.SaturatingAdd(x[0].count, m.Rules.Weight.Of(y[0].count))})
			x, y = x[1:], y[1:]
		}
	}
	return all
}

// rows adds the entry of both that is nothing but a list.
func (m *Merger) rows(x, y disk.Entry) {
	all := m.unite(rowsOf(x, 0), rowsOf(y, 0))
	slices.SortStableFunc(all, func(a, b countedRow) int { return m.compareRows(x.Tag(), a, b) })
	m.list(x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(), 0, all)
}

// compareRows is the order of rows that were merged: successors by index and
// point, all others the highest count first.
func (m *Merger) compareRows(tag layout.Tag, a, b countedRow) int {
	if tag == layout.TagSuccessors {
		pointA, indexA := disk.UnpackSuccessor(a.what)
		pointB, indexB := disk.UnpackSuccessor(b.what)
		return cmp.Or(cmp.Compare(indexA, indexB), cmp.Compare(pointA, pointB), cmp.Compare(b.count, a.count))
	}
	if c := cmp.Compare(b.count, a.count); c != 0 || a.what == b.what {
		return c
	}
	switch tag {
	case layout.TagCallees:
		return m.Refs.CompareMethods(uint32(a.what>>RefShift), uint32(b.what>>RefShift))
	case layout.TagValueSite:
		return cmp.Compare(a.what, b.what)
	}
	return m.Refs.CompareTypes(uint32(a.what>>RefShift), uint32(b.what>>RefShift))
}

// list adds a wide entry with so many cells before its rows.
func (m *Merger) list(tag layout.Tag, flags uint8, sub uint16, point int32, fixed int, rows []countedRow) disk.Entry {
	start := len(m.out.Bytes)
	var e disk.Entry
	m.out.Bytes, e = disk.NewWide(m.out.Bytes, tag, flags, sub, point, fixed+2*len(rows), len(rows))
	for i, r := range rows {
		e.SetCell(fixed+2*i, r.what)
		e.SetCell(fixed+2*i+1, r.count)
	}
	m.out.Add(start)
	return e
}

// rowsOf are the rows of a wide entry that begin at a cell; rows that say
// nothing are left out.
func rowsOf(e disk.Entry, first int) []countedRow {
	return strideRows(e, first, e.Rows())
}

func strideRows(e disk.Entry, first, n int) (rows []countedRow) {
	for i := range n {
		if r := (countedRow{e.Cell(first + 2*i), e.Cell(first + 2*i + 1)}); r != (countedRow{}) || e.Tag() == layout.TagSuccessors || e.Tag() == layout.TagValueSite {
			rows = append(rows, r)
		}
	}
	return rows
}
