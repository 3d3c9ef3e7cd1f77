package methoddata

import (
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// widen gives entries of a profile point without rows of HotSpot's.
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
	sub := uint16(layout.SubVirtualCall)
	if e.Tag() == layout.TagReceiverType {
		sub = layout.SubTypeCheck
	}
	rows := m.receiverRows(e)
	_, wide := disk.NewWide(nil, layout.TagReceivers, e.Flags(), sub, e.Point(), disk.ReceiversFixed+2*len(rows), len(rows))
	wide.SetCell(0, e.Cell(0))
	wide.SetCell(1, uint64(e.Traps()))
	for i, r := range rows {
		wide.SetCell(disk.ReceiversFixed+2*i, r.what)
		wide.SetCell(disk.ReceiversFixed+2*i+1, r.count)
	}
	all := []disk.Entry{wide}
	if e.Tag() == layout.TagVirtualCallType {
		all = append(all, m.callTypes(e))
	}
	if m.Shape.Gap > 0 && e.Cell(1) != 0 {
		_, unprofiled := disk.NewWide(nil, layout.TagCount, 0, layout.SubUnprofiled, e.Point(), 1, 0)
		unprofiled.SetCell(0, e.Cell(1))
		all = append(all, unprofiled)
	}
	return all
}

// callTypes is a CallType entry without a count: the types of arguments of a
// VirtualCallType.
func (m *Merger) callTypes(e disk.Entry) disk.Entry {
	from := m.Shape.TypeList(e.Tag())
	n := e.Cells() - from
	_, types := disk.NewEntry(nil, layout.TagCallType, 0, uint16(e.Point()), 0, m.Shape.Cells(layout.TagCallType, n))
	first := m.Shape.TypeList(layout.TagCallType)
	types.SetCell(first-1, uint64(n))
	for i := range n {
		types.SetCell(first+i, e.Cell(from+i))
	}
	return types
}

func isRet(e disk.Entry) bool { return e.Tag() == layout.TagRet }

// noBci marks a row that is free, as the VM does.
const noBci = 1<<64 - 1

// A retRow's displacement is of the code, so that the bci and it are what the
// row is of.
func (m *Merger) retRows(e disk.Entry) (rows []countedRow) {
	for i := range m.Shape.BciRows {
		bci, count, displacement := e.Cell(1+3*i), e.Cell(2+3*i), e.Cell(3+3*i)
		if bci != noBci && bci|count|displacement != 0 {
			rows = append(rows, countedRow{disk.PackSuccessor(int32(bci), uint32(displacement)), count})
		}
	}
	return rows
}

// ret adds a Ret of both.
func (m *Merger) ret(x, y disk.Entry) {
	rows := m.unite(m.retRows(x), m.retRows(y))
	slices.SortStableFunc(rows, func(a, b countedRow) int { return m.compareRows(layout.TagValueSite, a, b) })
	e := m.keep(x)
	uniteHeaders(e, y)
	e.SetCell(0, disk.SaturatingAdd(x.Cell(0), m.Rules.Weight.Of(y.Cell(0))))
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
	_, wide := disk.NewWide(nil, layout.TagSuccessors, 0, layout.SubReturn, e.Point(), 2*len(rows), len(rows))
	for i, r := range rows {
		wide.SetCell(2*i, r.what)
		wide.SetCell(2*i+1, r.count)
	}
	return []disk.Entry{bare, wide}
}
