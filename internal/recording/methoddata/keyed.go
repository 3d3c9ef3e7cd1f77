package methoddata

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
)

type keyedRow []uint64

// uniteRowsOf merges rows with equal keys into one, or rows without keys by index. It adds empty rows up to room.
func (m *Merger) uniteRowsOf(kinds []disk.CellKind, x, y []keyedRow, room int) (all []keyedRow) {
	if slices.ContainsFunc(kinds, disk.IsKey) {
		all = m.uniteKeyed(kinds, append(x, y...))
	} else {
		all = unitePlaces(kinds, x, y)
	}
	for len(all) < room {
		all = append(all, make(keyedRow, len(kinds)))
	}
	return all
}

func unitePlaces(kinds []disk.CellKind, x, y []keyedRow) []keyedRow {
	shared := min(len(x), len(y))
	for i, row := range y[:shared] {
		for j, kind := range kinds {
			x[i][j] = uniteCells(kind, false, x[i][j], row[j])
		}
	}
	return append(x, y[shared:]...)
}

// wideRows adds the merged wide entry of any schema. An entry of a producer's shape gets room for as many rows as the
// longer entry has, so that the producer can record in the empty ones.
func (m *Merger) wideRows(x, y disk.Entry, room int) {
	y = slices.Clone(y)
	m.scaleEntry(y)
	rows := m.uniteRowsOf(m.rowKinds(x), m.keyedRowsOf(x), m.keyedRowsOf(y), room)
	signed := m.Shape.SignedCell(x)
	var once []uint64
	m.eachOnce(x, y, func(cellX, cellY int, kind disk.CellKind) {
		once = append(once, uniteCells(kind, cellX == signed, x.Cell(cellX), y.Cell(cellY)))
	})
	start := len(m.out.Bytes)
	var e disk.Entry
	m.out.Bytes, e = disk.NewWide(m.out.Bytes, x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(),
		m.Shape.Cells(x.Tag(), len(rows)), len(rows))
	m.setKeyed(e, once, rows)
	m.out.Add(start)
}

func (m *Merger) rowKinds(e disk.Entry) (kinds []disk.CellKind) {
	schema, _ := m.Shape.Schema(e.Tag())
	for _, g := range schema.Groups {
		for _, c := range g.Cells {
			if g.Repeat == disk.PerRow {
				kinds = append(kinds, c.Kind)
			}
		}
	}
	return kinds
}

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
	if hasZeroKeys(e.Tag()) || disk.TagByProducer(e.Tag()) && m.rowKey(e) == 0 {
		return rows
	}
	return slices.DeleteFunc(rows, func(r keyedRow) bool {
		return !slices.ContainsFunc(r, func(v uint64) bool { return v != 0 })
	})
}

func (m *Merger) uniteKeyed(kinds []disk.CellKind, rows []keyedRow) (all []keyedRow) {
	byKeys := func(a, b keyedRow) (c int) {
		for i, kind := range kinds {
			if disk.IsKey(kind) && c == 0 {
				c = m.compareKeys(kind, a[i], b[i])
			}
		}
		return c
	}
	slices.SortStableFunc(rows, byKeys) // a stable sort, so that a CellFirst keeps its first value
	for _, r := range rows {
		if len(all) == 0 || byKeys(all[len(all)-1], r) != 0 {
			all = append(all, r)
			continue
		}
		for i, kind := range kinds {
			if last := all[len(all)-1]; !disk.IsKey(kind) {
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

func (m *Merger) setKeyed(e disk.Entry, once []uint64, rows []keyedRow) {
	before := 0 // number of row cells in the groups before g
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

// UniteRows merges the rows of a producer's entry that have equal keys. The first such row holds the result, and the
// others become free. Each key then occurs once per entry, and the order of merges does not matter.
func UniteRows(shape disk.Shape, e disk.Entry) {
	if schema, ok := shape.Schema(e.Tag()); !ok || !schema.Declared() {
		return
	}
	for g := range shape.Groups(e) {
		if g.Repeat == disk.PerRow && slices.ContainsFunc(g.Cells, func(c disk.CellSpec) bool { return disk.IsKey(c.Kind) }) {
			uniteRows(e, g)
		}
	}
}

func uniteRows(e disk.Entry, rows disk.Rows) {
	firsts := map[string]int{}
	var key []byte
	for row := range rows.N {
		key = key[:0]
		free := true
		for i, c := range rows.Cells {
			v := e.Cell(rows.Cell(row, i))
			free = free && v == 0
			if disk.IsKey(c.Kind) {
				key = binary.LittleEndian.AppendUint64(key, v)
			}
		}
		first, again := firsts[string(key)]
		switch {
		case free:
		case again:
			moveRow(e, rows, first, row)
		default:
			firsts[string(key)] = row
		}
	}
}

func moveRow(e disk.Entry, rows disk.Rows, first, row int) {
	for i, c := range rows.Cells {
		to := rows.Cell(first, i)
		from := rows.Cell(row, i)
		if !disk.IsKey(c.Kind) {
			e.SetCell(to, uniteCells(c.Kind, false, e.Cell(to), e.Cell(from)))
		}
		e.SetCell(from, 0)
	}
}
