package fit

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A mover writes the profile of a method for new code: an entry for each of its
// points, as the VM makes them, with the counts of the old point that it was
// matched with, and with displacements between the new entries.
type mover struct {
	*rewriter
	*judgement
	p       *profileset.Recording
	from    []int   // old point of each new one, -1 for none
	offsets []int64 // of the new entries in the VM's MethodData, and their end
	level   uint32  // TypeProfileLevel
}

func (m *mover) run() error {
	m.level = m.s.Header().Params.TypeProfileLevel
	m.from = make([]int, len(m.now.Points))
	for j := range m.from {
		m.from[j] = -1
	}
	for i, j := range m.alignment.to {
		if j >= 0 {
			m.from[j] = i
			m.counts.Points++
		} else if m.old.weights[i] > 0 {
			m.counts.PointsDropped++
			m.counts.CountsDropped += m.old.weights[i]
		}
	}
	raws := make([]disk.Entry, len(m.now.Points))
	end := int64(0)
	for j := range raws {
		raws[j] = m.entryFor(j)
		m.offsets = append(m.offsets, end)
		end += nativeSize(raws[j], m.shape)
	}
	m.offsets = append(m.offsets, end)
	rest := m.companions()
	for j, raw := range raws {
		var err error
		if rest, err = m.addBefore(rest, int64(m.now.Points[j].Bci)); err != nil {
			return err
		}
		if err := m.place(j, raw); err != nil {
			return err
		}
	}
	if _, err := m.addBefore(rest, math.MaxInt64); err != nil {
		return err
	}
	return m.others()
}

// companions returns the data entries that are no profile points of HotSpot, such
// as the counts that a merge keeps beside receivers, at their new places and in
// the order of these. Those that tell of other places of the old code are lost.
func (m *mover) companions() (moved []disk.Entry) {
	for e := range m.Profile.Entries() {
		if kindOf(e) != 0 {
			continue
		}
		bci, ok := m.bci(e.Point())
		switch {
		case namesPlaces(disk.Entry(e.Bytes()), m.shape):
			m.lose(LostPlaces, weightOf(e, m.shape))
		case !ok:
			m.lose(LostOther, weightOf(e, m.shape))
		default:
			raw := disk.Entry(slices.Clone(e.Bytes()))
			setPoint(raw, bci)
			moved = append(moved, raw)
		}
	}
	slices.SortStableFunc(moved, func(x, y disk.Entry) int { return cmp.Compare(x.Point(), y.Point()) })
	return moved
}

// namesPlaces reports whether cells of an entry say where in the code something is.
func namesPlaces(e disk.Entry, shape disk.Shape) bool {
	for _, kind := range shape.Walk(e) {
		if kind == disk.CellDisplacement || kind == disk.CellBci || kind == disk.CellSuccessor {
			return true
		}
	}
	return false
}

// addBefore adds the first of entries, which are in the order of their points, up
// to a bci, and returns the others.
func (m *mover) addBefore(entries []disk.Entry, bci int64) ([]disk.Entry, error) {
	for len(entries) > 0 && int64(entries[0].Point()) < bci {
		if err := m.copier.ChangedEntry(m.p, layout.SectionData, entries[0]); err != nil {
			return nil, err
		}
		entries = entries[1:]
	}
	return entries, nil
}

// beyond reports whether a point lies where no entry can say so.
func (m *mover) beyond(j int) bool { return m.now.Points[j].Bci > math.MaxUint16 }

// length is the value of a switch's length cell.
func (m *mover) length(j int) int {
	if m.now.Points[j].Kind == Switch {
		return 2 * len(m.now.Points[j].Targets)
	}
	return 0
}

// tagOf is the entry that HotSpot makes for a point.
func tagOf(k PointKind) layout.Tag {
	switch k {
	case Call:
		return layout.TagCounter
	case VirtualCall:
		return layout.TagVirtualCall
	case TypeCheck:
		return layout.TagReceiverType
	case Jump:
		return layout.TagJump
	case Branch:
		return layout.TagBranch
	case Switch:
		return layout.TagMultiBranch
	}
	return layout.TagRet
}

// entryFor is the entry of a new point, without displacements.
func (m *mover) entryFor(j int) disk.Entry {
	point := m.now.Points[j]
	i := m.from[j]
	if i >= 0 && point.Kind != Switch {
		raw := disk.Entry(slices.Clone(m.old.entries[i].Bytes()))
		setPoint(raw, point.Bci)
		if opposite(&m.old.points[i], &point) {
			swapSides(raw)
			m.counts.Swapped++
		}
		return raw
	}
	tag := tagOf(point.Kind)
	if point.Kind == TypeCheck && m.untyped() {
		tag = layout.TagBit
	}
	if types := recordedTypes(point, m.level); len(types) > 0 && point.Kind == Call {
		return m.typed(layout.TagCallType, point, types)
	} else if len(types) > 0 && point.Kind == VirtualCall {
		return m.typed(layout.TagVirtualCallType, point, types)
	}
	_, raw := disk.NewEntry(nil, tag, 0, uint16(point.Bci), 0, m.shape.Cells(tag, m.length(j)))
	if point.Kind == Switch {
		raw.SetCell(0, uint64(m.length(j)))
		if i >= 0 {
			m.cases(raw, i, j)
		}
	}
	return raw
}

// untyped reports whether the VM records no types at type checks.
func (m *mover) untyped() bool {
	return slices.ContainsFunc(m.old.entries, func(e reader.Entry) bool { return e.Tag() == layout.TagBit })
}

// setPoint sets the bci of an entry.
func setPoint(raw disk.Entry, bci int32) {
	if raw.Tag().Wide() {
		binary.LittleEndian.PutUint32(raw[4:], uint32(bci))
		return
	}
	binary.LittleEndian.PutUint16(raw[2:], uint16(bci))
}

// Cells of a branch.
const (
	takenCell    = 0
	notTakenCell = 2
)

// swapSides swaps the counts of a branch.
func swapSides(branch disk.Entry) {
	taken := branch.Cell(takenCell)
	branch.SetCell(takenCell, branch.Cell(notTakenCell))
	branch.SetCell(notTakenCell, taken)
}

// cases takes the counts of a switch over: those of each value to the same value.
// Values that have no case any more go to the default.
func (m *mover) cases(raw disk.Entry, i, j int) {
	from := disk.Entry(m.old.entries[i].Bytes())
	raw.SetTraps(from.Traps())
	for c, to := range casesOf(&m.old.points[i], &m.now.Points[j]) {
		cell := 1 + 2*to
		raw.SetCell(cell, disk.SaturatingAdd(raw.Cell(cell), from.Cell(1+2*c)))
	}
}

// casesOf returns the place of each case of a switch among those of another one, by
// their values. Without these both have the same cases.
func casesOf(p, q *Point) []int {
	places := make([]int, len(p.Targets))
	if p.Labels == nil || q.Labels == nil {
		for c := range places {
			places[c] = c
		}
		return places
	}
	by := map[int32]int{}
	for c, label := range q.Labels {
		by[label] = c + 1
	}
	for c, label := range p.Labels[:min(len(p.Labels), len(places)-1)] {
		places[c+1] = by[label]
	}
	return places
}

// place sets the displacements of a new entry and hands it over.
func (m *mover) place(j int, raw disk.Entry) error {
	if m.beyond(j) {
		return nil
	}
	k := 0
	eachDisplacement(raw, func(cell int) {
		if k < len(m.now.Points[j].Targets) && m.now.Points[j].Targets[k] >= 0 {
			raw.SetCell(cell, uint64(m.offsets[m.now.Points[j].Targets[k]]-m.offsets[j]))
		}
		k++
	})
	if i := m.from[j]; i >= 0 {
		if raw.Tag() == layout.TagRet {
			m.returns(raw, j)
		}
		if err := m.receivers(raw, j); err != nil {
			return err
		}
	}
	return m.copier.ChangedEntry(m.p, layout.SectionData, raw)
}

// returns moves the return points of a ret.
func (m *mover) returns(raw disk.Entry, j int) {
	for row := range m.shape.BciRows {
		if raw.Cell(2+3*row) == 0 {
			continue
		}
		bci, ok := m.bci(int32(raw.Cell(1 + 3*row)))
		if !ok {
			bci = 0
			raw.SetCell(2+3*row, 0)
		}
		target, _ := slices.BinarySearchFunc(m.now.Points, bci, func(p Point, bci int32) int { return int(p.Bci - bci) })
		raw.SetCell(1+3*row, uint64(bci))
		raw.SetCell(3+3*row, uint64(m.offsets[target]-m.offsets[j]))
	}
}

// others takes over what stands behind the data entries: traps and handlers
// whose bytecodes have a new place, and parameters. What escape analysis found
// is of the old code.
func (m *mover) others() error {
	for section := layout.SectionExtra; section < layout.SectionDirectory; section++ {
		for e := range m.Profile.Section(section) {
			raw := disk.Entry(slices.Clone(e.Bytes()))
			if section != layout.SectionParameters {
				bci, ok := m.bci(e.Point())
				if !ok || e.Tag() == layout.TagArgInfo {
					m.counts.TrapsDropped += int(equal(e.Tag() != layout.TagArgInfo))
					continue
				}
				m.counts.Traps++
				setPoint(raw, bci)
			}
			if err := m.copier.ChangedEntry(m.p, section, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// bci is the new place of an old bytecode; ok is false if that cannot be told. A
// bytecode between two points moves with them, if nothing between them has
// changed.
func (m *mover) bci(old int32) (now int32, ok bool) {
	i, found := slices.BinarySearchFunc(m.old.points, old, func(p Point, bci int32) int { return int(p.Bci - bci) })
	if found {
		if j := m.alignment.to[i]; j >= 0 {
			return m.now.Points[j].Bci, true
		}
		return 0, false
	}
	before, ok1 := m.shift(i - 1)
	behind, ok2 := m.shift(i)
	now = old + before
	return now, ok1 && ok2 && before == behind && m.adjacent(i) && now >= 0 && now <= math.MaxUint16
}

// shift is how far an old point has moved. The start of the code stays, and its
// end moves with its size.
func (m *mover) shift(i int) (int32, bool) {
	switch {
	case i < 0:
		return 0, true
	case i == len(m.old.points):
		return int32(m.now.Size - m.old.size), m.now.Size > 0 && m.old.size > 0
	case m.alignment.to[i] < 0:
		return 0, false
	}
	return m.now.Points[m.alignment.to[i]].Bci - m.old.points[i].Bci, true
}

// adjacent reports whether the old points i-1 and i are neighbours in the new
// code too.
func (m *mover) adjacent(i int) bool {
	before, behind := -1, len(m.now.Points)
	if i > 0 {
		before = m.alignment.to[i-1]
	}
	if i < len(m.old.points) {
		behind = m.alignment.to[i]
	}
	return before+1 == behind
}
