package methoddata

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

type countedRow struct{ what, count uint64 }

// unite merges two lists. Of keys that both have several times, it adds the highest counts, then the next highest.
func (m *Merger) unite(x, y []countedRow) []countedRow {
	byWhat := func(a, b countedRow) int { return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(b.count, a.count)) }
	slices.SortFunc(x, byWhat)
	slices.SortFunc(y, byWhat)
	return m.uniteSorted(x, y, m.Rules.Weight)
}

func (m *Merger) uniteSorted(x, y []countedRow, fresh layout.Weight) (all []countedRow) {
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].what < y[0].what:
			all = append(all, x[0])
			x = x[1:]
		case len(x) == 0 || y[0].what < x[0].what:
			all = append(all, countedRow{y[0].what, disk.ApplyWeight(fresh, y[0].count)})
			y = y[1:]
		default:
			all = append(all, countedRow{x[0].what,
				disk.SaturatingAdd(x[0].count, disk.ApplyWeight(m.Rules.Weight, y[0].count))})
			x = x[1:]
			y = y[1:]
		}
	}
	return all
}

func (m *Merger) rows(x, y disk.Entry) {
	all := m.unite(rowsOf(x, 0), rowsOf(y, 0))
	key := m.rowKey(x)
	m.sortRows(key, all)
	m.listRows(x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(), listPlan{room: room(key, x, y)}, all)
}

// room returns the minimum number of rows of the entry merged from x and y. The VM can record types in the empty rows
// of a type profile, so the larger number of rows is kept. Empty rows with other keys have no use.
func room(key disk.CellKind, x, y disk.Entry) int {
	if key != disk.CellType {
		return 0
	}
	return max(x.Rows(), y.Rows())
}

// sortRows sorts merged rows. Successors are sorted by index and point, all other rows by falling count.
func (m *Merger) sortRows(key disk.CellKind, rows []countedRow) {
	slices.SortStableFunc(rows, func(a, b countedRow) int {
		byCount := cmp.Compare(b.count, a.count)
		if key != disk.CellSuccessor && byCount != 0 {
			return byCount
		}
		return cmp.Or(m.compareKeys(key, a.what, b.what), byCount)
	})
}

// compareKeys orders two keys of one kind. References are ordered by the records that they name.
func (m *Merger) compareKeys(kind disk.CellKind, a, b uint64) int {
	if a == b {
		return 0
	}
	switch kind {
	case disk.CellType, disk.CellTypeWord:
		const tags = 1<<RefShift - 1
		return cmp.Or(m.Refs.CompareTypes(uint32(a>>RefShift), uint32(b>>RefShift)), cmp.Compare(a&tags, b&tags))
	case disk.CellMethod:
		return m.Refs.CompareMethods(uint32(a>>RefShift), uint32(b>>RefShift))
	case disk.CellSuccessor:
		pointA, indexA := disk.UnpackSuccessor(a)
		pointB, indexB := disk.UnpackSuccessor(b)
		return cmp.Or(cmp.Compare(indexA, indexB), cmp.Compare(pointA, pointB))
	}
	return cmp.Compare(a, b)
}

type listPlan struct {
	fixed int // number of cells before the rows
	room  int // minimum number of rows; rows without a value are empty
}

func (m *Merger) listRows(tag layout.Tag, flags layout.EntryFlags, sub layout.Sub, point int32, p listPlan,
	rows []countedRow) disk.Entry {
	start := len(m.out.Bytes)
	n := max(len(rows), p.room)
	var e disk.Entry
	m.out.Bytes, e = disk.NewWide(m.out.Bytes, tag, flags, sub, point, p.fixed+2*n, n)
	setRows(e, p.fixed, rows)
	m.out.Add(start)
	return e
}

// setRows sets the pairs of cells from first on.
func setRows(e disk.Entry, first int, rows []countedRow) {
	for i, r := range rows {
		e.SetCell(first+2*i, r.what)
		e.SetCell(first+2*i+1, r.count)
	}
}

func rowsOf(e disk.Entry, first int) []countedRow {
	return strideRows(e, first, e.Rows(), hasZeroKeys(e.Tag()))
}

func strideRows(e disk.Entry, first, n int, zeros bool) (rows []countedRow) {
	for i := range n {
		if r := (countedRow{e.Cell(first + 2*i), e.Cell(first + 2*i + 1)}); zeros || r != (countedRow{}) {
			rows = append(rows, r)
		}
	}
	return rows
}

func (m *Merger) rowKey(e disk.Entry) disk.CellKind {
	schema, _ := m.Shape.Schema(e.Tag())
	kind, _ := schema.RowKey()
	return kind
}

// hasZeroKeys reports whether a row of zeros holds a value. 0 is a number, but no type, and free in producers' entries.
func hasZeroKeys(tag layout.Tag) bool {
	if disk.TagByProducer(tag) {
		return false
	}
	schema, _ := disk.SchemaOf(tag)
	key, _ := schema.RowKey()
	return key == disk.CellSuccessor || key == disk.CellValue
}

func isReceivers(e disk.Entry) bool {
	switch e.Tag() {
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType, layout.TagReceivers:
		return true
	}
	return false
}

func (m *Merger) receiverRows(e disk.Entry) []countedRow {
	if e.Tag() == layout.TagReceivers {
		return rowsOf(e, disk.ReceiversFixed)
	}
	return strideRows(e, m.Shape.ReceiverRow(0), m.Shape.TypeRows, false)
}

func (m *Merger) receivers(x, y disk.Entry) {
	rows := m.unite(m.receiverRows(x), m.receiverRows(y))
	m.sortRows(disk.CellType, rows)
	if x.Tag() == layout.TagReceivers {
		e := m.listRows(x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(),
			listPlan{disk.ReceiversFixed, room(disk.CellType, x, y)}, rows)
		e.SetCell(0, m.firstCount(x, y))
		e.SetCell(1, uint64(disk.UniteTraps(layout.EntryTraps(x.Cell(1)), layout.EntryTraps(y.Cell(1)))))
		return
	}
	e := m.typeLists(x, y)
	e.SetCell(0, m.firstCount(x, y))
	for i := range m.Shape.Gap {
		e.SetCell(1+i, disk.SaturatingAdd(x.Cell(1+i), disk.ApplyWeight(m.Rules.Weight, y.Cell(1+i))))
	}
	setRows(e, m.Shape.ReceiverRow(0), append(rows, make([]countedRow, m.Shape.TypeRows-len(rows))...))
}

// typeLists adds the HotSpot entry with more types of arguments, and unites the flags, traps and types of both entries.
func (m *Merger) typeLists(x, y disk.Entry) disk.Entry {
	from, other := x, y
	if len(y) > len(x) {
		from, other = y, x
	}
	e := m.keepEntry(from)
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

func (m *Merger) firstCount(x, y disk.Entry) uint64 {
	if x.SignedCount() {
		return uint64(saturateSigned(int64(x.Cell(0)), disk.ApplyWeightSigned(m.Rules.Weight, int64(y.Cell(0)))))
	}
	return disk.SaturatingAdd(x.Cell(0), disk.ApplyWeight(m.Rules.Weight, y.Cell(0)))
}

// tooWide reports whether the HotSpot entries of a profile point must become wide, because some are wide already or
// their merged rows do not fit.
func (m *Merger) tooWide(x, y []disk.Entry) bool {
	return slices.ContainsFunc(x, IsWidened) || slices.ContainsFunc(y, IsWidened) ||
		m.union(x, y, isReceivers, m.receiverRows) > m.Shape.TypeRows ||
		m.union(x, y, isRet, m.retRows) > m.Shape.BciRows
}

// IsWidened reports whether an entry of a HotSpot archive replaces an entry of the VM whose rows did not all fit.
func IsWidened(e disk.Entry) bool {
	return e.Tag() == layout.TagReceivers || e.Tag() == layout.TagSuccessors && e.Sub() == disk.SubReturn
}

func (m *Merger) union(x, y []disk.Entry, is func(disk.Entry) bool, rows func(disk.Entry) []countedRow) int {
	var all []countedRow
	for _, e := range slices.Concat(x, y) {
		if is(e) {
			all = append(all, rows(e)...)
		}
	}
	return countKeys(all)
}

// widen returns the entries of a profile point with each HotSpot entry that has rows replaced by wide entries.
func (m *Merger) widen(at []disk.Entry) (all []disk.Entry) {
	for _, e := range at {
		switch {
		case isRet(e):
			all = append(all, m.widenRet(e)...)
		case isReceivers(e) && e.Tag() != layout.TagReceivers:
			all = append(all, m.widenReceivers(e)...)
		default:
			all = append(all, e)
		}
	}
	return all
}

func (m *Merger) widenReceivers(e disk.Entry) []disk.Entry {
	sub := layout.SubVirtualCall
	if e.Tag() == layout.TagReceiverType {
		sub = layout.SubTypeCheck
	}
	n := max(m.Shape.TypeRows, m.Room)
	_, wide := disk.NewWide(nil, layout.TagReceivers, e.Flags(), sub, e.Point(), disk.ReceiversFixed+2*n, n)
	wide.SetCell(0, e.Cell(0))
	wide.SetCell(1, uint64(e.Traps()))
	setRows(wide, disk.ReceiversFixed, m.receiverRows(e))
	all := []disk.Entry{wide}
	if e.Tag() == layout.TagVirtualCallType {
		all = append(all, m.callTypes(e))
	}
	if n := m.Shape.Unprofiled(e); n != 0 {
		_, unprofiled := disk.NewWide(nil, layout.TagCount, 0, disk.SubUnprofiled, e.Point(), 1, 0)
		unprofiled.SetCell(0, n)
		all = append(all, unprofiled)
	}
	return all
}

// callTypes returns a CallType entry without a count, which holds the types of the arguments of a VirtualCallType.
func (m *Merger) callTypes(e disk.Entry) disk.Entry {
	cells := cellsFrom(e, m.Shape.TypeList(e.Tag()))
	_, types := disk.NewEntry(nil, layout.TagCallType, 0, uint16(e.Point()), 0,
		m.Shape.Cells(layout.TagCallType, len(cells)))
	SetTypeList(m.Shape, types, cells)
	return types
}

// SetTypeList sets the cells of a list of types, and the cell with their number. cells are pairs of a stack slot and a
// type word. The word of a return value comes last.
func SetTypeList(shape disk.Shape, e disk.Entry, cells []uint64) {
	first := shape.TypeList(e.Tag())
	e.SetCell(first-1, uint64(len(cells)))
	for i, c := range cells {
		e.SetCell(first+i, c)
	}
}

func isRet(e disk.Entry) bool { return e.Tag() == layout.TagRet }

// noBci marks an empty row, as the VM does.
const noBci = 1<<64 - 1

// retRows returns the rows of a Ret. The key of a row is its bci and its displacement; the code fixes the displacement.
func (m *Merger) retRows(e disk.Entry) (rows []countedRow) {
	for i := range m.Shape.BciRows {
		bci := e.Cell(1 + 3*i)
		count := e.Cell(2 + 3*i)
		displacement := e.Cell(3 + 3*i)
		if bci != noBci && bci|count|displacement != 0 {
			rows = append(rows, countedRow{disk.PackSuccessor(int32(bci), uint32(displacement)), count})
		}
	}
	return rows
}

func (m *Merger) ret(x, y disk.Entry) {
	rows := m.unite(m.retRows(x), m.retRows(y))
	m.sortRows(disk.CellValue, rows)
	e := m.keepEntry(x)
	uniteHeaders(e, y)
	e.SetCell(0, disk.SaturatingAdd(x.Cell(0), disk.ApplyWeight(m.Rules.Weight, y.Cell(0))))
	m.setRetRows(e, rows)
}

func (m *Merger) setRetRows(e disk.Entry, rows []countedRow) {
	for i := range m.Shape.BciRows {
		row := [3]uint64{noBci, 0, 0}
		if i < len(rows) {
			bci, displacement := disk.UnpackSuccessor(rows[i].what)
			row = [3]uint64{uint64(int64(bci)), rows[i].count, uint64(int64(int32(displacement)))}
		}
		for j, v := range row {
			e.SetCell(1+3*i+j, v)
		}
	}
}

func (m *Merger) widenRet(e disk.Entry) []disk.Entry {
	rows := m.retRows(e)
	if len(rows) == 0 {
		return []disk.Entry{e}
	}
	bare := slices.Clone(e)
	m.setRetRows(bare, nil)
	_, wide := disk.NewWide(nil, layout.TagSuccessors, 0, disk.SubReturn, e.Point(), 2*len(rows), len(rows))
	setRows(wide, 0, rows)
	return []disk.Entry{bare, wide}
}
