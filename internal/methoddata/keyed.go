package methoddata

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/disk"
)

// keyedRow is the cells of one row of a wide entry, in all groups that repeat per row.
type keyedRow []uint64

// keyedRows adds the wide entry of both, for any schema whose rows have keys. Rows with
// the same keys become one.
func (m *Merger) keyedRows(x, y disk.Entry) {
	y = slices.Clone(y)
	m.scaleEntry(y)
	kinds := rowKinds(x)
	rows := m.uniteKeyed(kinds, append(m.keyedRowsOf(x), m.keyedRowsOf(y)...))
	signed := m.Shape.SignedCell(x)
	var once []uint64
	m.eachOnce(x, y, func(cellX, cellY int, kind disk.CellKind) {
		once = append(once, uniteCells(kind, cellX == signed, x.Cell(cellX), y.Cell(cellY)))
	})
	start := len(m.out.Bytes)
	var e disk.Entry
	m.out.Bytes, e = disk.NewWide(m.out.Bytes, x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(), m.Shape.Cells(x.Tag(), len(rows)), len(rows))
	m.setKeyed(e, once, rows)
	m.out.Add(start)
}

// rowKinds returns the kinds of the cells of a row.
func rowKinds(e disk.Entry) (kinds []disk.CellKind) {
	schema, _ := disk.SchemaOf(e.Tag())
	for _, g := range schema.Groups {
		for _, c := range g.Cells {
			if g.Repeat == disk.PerRow {
				kinds = append(kinds, c.Kind)
			}
		}
	}
	return kinds
}

// keyedRowsOf returns the rows of an entry, without empty ones.
func (m *Merger) keyedRowsOf(e disk.Entry) []keyedRow {
	rows := make([]keyedRow, e.Rows())
	for g := range m.Shape.Groups(e) {
		for i := range rows {
			for j := range g.Cells {
				if g.Repeat == disk.PerRow {
					rows[i] = append(rows[i], e.Cell(g.Cell(i, j)))
				}
			}
		}
	}
	if zeroIsKey(rowKey(e)) {
		return rows
	}
	return slices.DeleteFunc(rows, func(r keyedRow) bool {
		return !slices.ContainsFunc(r, func(v uint64) bool { return v != 0 })
	})
}

// uniteKeyed makes one row of those with the same keys, and sorts them, the highest
// counts first.
func (m *Merger) uniteKeyed(kinds []disk.CellKind, rows []keyedRow) (all []keyedRow) {
	byKeys := func(a, b keyedRow) (c int) {
		for i, kind := range kinds {
			if kind.IsKey() && c == 0 {
				c = m.compareKeys(kind, a[i], b[i])
			}
		}
		return c
	}
	slices.SortFunc(rows, byKeys)
	for _, r := range rows {
		if len(all) == 0 || byKeys(all[len(all)-1], r) != 0 {
			all = append(all, r)
			continue
		}
		for i, kind := range kinds {
			if last := all[len(all)-1]; !kind.IsKey() {
				last[i] = uniteCells(kind, false, last[i], r[i])
			}
		}
	}
	slices.SortStableFunc(all, func(a, b keyedRow) (c int) {
		for i, kind := range kinds {
			if kind == disk.CellCount {
				c = cmp.Or(c, cmp.Compare(b[i], a[i]))
			}
		}
		return c
	})
	return all
}

// eachOnce calls yield with the cells of two entries outside rows.
func (m *Merger) eachOnce(x, y disk.Entry, yield func(cellX, cellY int, kind disk.CellKind)) {
	var of []int
	for g := range m.Shape.Groups(y) {
		of = append(of, g.First)
	}
	for g := range m.Shape.Groups(x) {
		for j, c := range g.Cells {
			if g.Repeat == disk.Once {
				yield(g.Cell(0, j), of[0]+j, c.Kind)
			}
		}
		of = of[1:]
	}
}

// setKeyed fills an entry with its cells outside rows and its rows.
func (m *Merger) setKeyed(e disk.Entry, once []uint64, rows []keyedRow) {
	before := 0 // cells of a row in the groups before
	for g := range m.Shape.Groups(e) {
		switch g.Repeat {
		case disk.Once:
			for j := range g.Cells {
				e.SetCell(g.Cell(0, j), once[0])
				once = once[1:]
			}
		case disk.PerRow:
			for i, r := range rows {
				for j := range g.Cells {
					e.SetCell(g.Cell(i, j), r[before+j])
				}
			}
			before += len(g.Cells)
		}
	}
}
