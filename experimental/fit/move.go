package fit

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A mover writes the profile of a method for new code. It makes an entry for each point like the VM would, with the
// counts of the matching old point and with displacements between the new entries.
type mover struct {
	*rewriter
	*judgement
	p       *profileset.Recording
	from    []int           // old point of each new one, -1 if unmatched
	offsets []int64         // offsets of the new entries and of their end in the VM's MethodData
	level   uint32          // the VM's TypeProfileLevel
	filled  map[int]float64 // confidence of new points with derived counts
}

func (m *mover) writeProfile() error {
	m.level = m.s.Header().Params.TypeProfileLevel
	m.from = slices.Repeat([]int{-1}, len(m.now.Points))
	m.filled = map[int]float64{}
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
	m.offsets = []int64{0}
	for j := range raws {
		raws[j] = m.entryFor(j)
		m.offsets = append(m.offsets, m.offsets[j]+nativeSize(raws[j], m.shape))
	}
	companions := m.moveCompanions()
	for j, raw := range raws {
		if err := m.completeEntry(j, raw); err != nil {
			return err
		}
	}
	// Points beyond the range of a 16-bit bci come last and have no entries.
	beyond := slices.IndexFunc(m.now.Points, func(p methodcode.Point) bool { return p.Bci > math.MaxUint16 })
	if beyond >= 0 {
		raws = raws[:beyond]
	}
	raws = append(raws, companions...)
	slices.SortStableFunc(raws, func(x, y disk.Entry) int { return cmp.Compare(x.Point(), y.Point()) })
	for _, raw := range raws {
		if err := m.copier.ChangedEntry(m.p, disk.SectionData, raw); err != nil {
			return err
		}
	}
	return m.copyOtherSections()
}

// markMovedPoints records moved and derived points. The confidence of a point that moved before is the product of both.
func (m *mover) markMovedPoints(method profileset.MethodRef) {
	note := func(j int, derived uint64, confidence float64) {
		t := m.b.Internal().Table(disk.TableMoved, 0)
		t.Row(uint64(method), m.now.ID, uint64(int64(m.now.Points[j].Bci)), derived,
			uint64(confidence*float64(layout.WeightOne)))
	}
	for j, i := range m.from {
		if i < 0 {
			if confidence, ok := m.filled[j]; ok {
				note(j, 1, confidence)
			}
		} else if m.old.weights[i] > 0 {
			confidence := m.alignment.confidence[i]
			if before, ok := m.marks.At(m.Profile.Bytes(), m.old.points[i].Bci); ok {
				confidence *= before.Confidence
			}
			note(j, 0, confidence)
		}
	}
}

// moveCompanions returns the data entries that are not profile points of HotSpot, moved to the new code. Merges add
// such counts to receivers. Entries that refer to other bytecodes are lost.
func (m *mover) moveCompanions() (moved []disk.Entry) {
	for e := range m.Profile.Entries() {
		if pointKindOf(e) != 0 {
			continue
		}
		bci, ok := m.newIndex(e.Point())
		switch {
		case namesPlaces(disk.Entry(e.Bytes()), m.shape):
			m.countLoss(lostPlaces, weightOf(e, m.shape))
		case !ok:
			m.countLoss(lostOther, weightOf(e, m.shape))
		default:
			raw := disk.Entry(slices.Clone(e.Bytes()))
			setPoint(raw, bci)
			moved = append(moved, raw)
		}
	}
	return moved
}

func namesPlaces(e disk.Entry, shape disk.Shape) bool {
	for _, kind := range shape.WalkCells(e) {
		if kind == disk.CellDisplacement || kind == disk.CellBci || kind == disk.CellSuccessor {
			return true
		}
	}
	return false
}

func (m *mover) switchLength(j int) int {
	if m.now.Points[j].Kind == methodcode.Switch {
		return 2 * len(m.now.Points[j].Targets)
	}
	return 0
}

// entryFor returns the entry of a new point without displacements.
func (m *mover) entryFor(j int) disk.Entry {
	point := m.now.Points[j]
	i := m.from[j]
	if i >= 0 && point.Kind != methodcode.Switch {
		raw := disk.Entry(slices.Clone(m.old.entries[i].Bytes()))
		setPoint(raw, point.Bci)
		if oppositeSenses(&m.old.points[i], &point) {
			swapSides(raw)
			m.counts.Swapped++
		}
		return raw
	}
	return m.setDerivedCounts(j, m.emptyEntry(j))
}

// emptyEntry returns a new entry without counts. A switch gets the counts of the old one.
func (m *mover) emptyEntry(j int) disk.Entry {
	point := m.now.Points[j]
	i := m.from[j]
	tag := tagsOf[point.Kind]
	if point.Kind == methodcode.TypeCheck && m.checksAreUntyped() {
		tag = untypedCheck
	}
	if types := recordedTypes(point, m.level); len(types) > 0 && typedTagsOf[point.Kind] != 0 {
		return m.newTypedEntry(typedTagsOf[point.Kind], point, types)
	}
	_, raw := disk.NewEntry(nil, tag, 0, uint16(point.Bci), 0, m.shape.Cells(tag, m.switchLength(j)))
	if point.Kind == methodcode.Switch {
		raw.SetCell(0, uint64(m.switchLength(j)))
		if i >= 0 {
			m.moveCases(raw, i, j)
		}
	}
	return raw
}

// setDerivedCounts sets the counts of an unmatched point that follow from the flow of the code. Types do not follow.
func (m *mover) setDerivedCounts(j int, raw disk.Entry) disk.Entry {
	if m.from[j] >= 0 || m.flow == nil {
		return raw
	}
	counts, confidence, ok := m.flow.derivedCounts(j)
	if !ok || confidence < m.least {
		return raw
	}
	switch kind := m.now.Points[j].Kind; kind {
	case methodcode.Call, methodcode.Jump:
		raw.SetCell(0, counts[0])
	case methodcode.Branch:
		raw.SetCell(takenCell, counts[0])
		raw.SetCell(notTakenCell, counts[1])
	case methodcode.Switch:
		for k, n := range counts {
			raw.SetCell(1+2*k, n)
		}
	}
	m.filled[j] = confidence
	m.counts.Filled++
	return raw
}

func (m *mover) checksAreUntyped() bool {
	return slices.ContainsFunc(m.old.entries, func(e reader.Entry) bool { return e.Tag() == untypedCheck })
}

func setPoint(raw disk.Entry, bci int32) {
	if disk.IsWide(raw.Tag()) {
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

func swapSides(branch disk.Entry) {
	taken := branch.Cell(takenCell)
	branch.SetCell(takenCell, branch.Cell(notTakenCell))
	branch.SetCell(notTakenCell, taken)
}

// moveCases moves the counts of a switch to the cases with equal values, and the counts of other values to the default.
func (m *mover) moveCases(raw disk.Entry, i, j int) {
	from := disk.Entry(m.old.entries[i].Bytes())
	raw.SetTraps(from.Traps())
	for c, to := range mapCases(&m.old.points[i], &m.now.Points[j]) {
		cell := 1 + 2*to
		raw.SetCell(cell, disk.SaturatingAdd(raw.Cell(cell), from.Cell(1+2*c)))
	}
}

// mapCases maps the cases of a switch to cases of another one by value, or to the same ones if values are unknown.
func mapCases(p, q *methodcode.Point) []int {
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

// completeEntry sets the displacements of a new entry and adapts its rows.
func (m *mover) completeEntry(j int, raw disk.Entry) error {
	for k, cell := range displacements(raw, m.shape) {
		if targets := m.now.Points[j].Targets; k < len(targets) && targets[k] >= 0 {
			raw.SetCell(cell, uint64(m.offsets[targets[k]]-m.offsets[j]))
		}
	}
	if m.from[j] < 0 {
		return nil
	}
	if m.now.Points[j].Kind == methodcode.Ret {
		m.moveReturns(raw, j)
	}
	return m.clearReceivers(raw, j)
}

func (m *mover) moveReturns(raw disk.Entry, j int) {
	for row := range m.shape.BciRows {
		if raw.Cell(2+3*row) == 0 {
			continue
		}
		bci, ok := m.newIndex(int32(raw.Cell(1 + 3*row)))
		if !ok {
			bci = 0
			raw.SetCell(2+3*row, 0)
		}
		target, _ := slices.BinarySearchFunc(m.now.Points, bci, comparePlace)
		raw.SetCell(1+3*row, uint64(bci))
		raw.SetCell(3+3*row, uint64(m.offsets[target]-m.offsets[j]))
	}
}

// copyOtherSections copies the sections after the data. It moves traps and handlers, and drops escape analysis.
func (m *mover) copyOtherSections() error {
	for section := disk.SectionExtra; section < disk.SectionDirectory; section++ {
		for e := range m.Profile.Section(section) {
			raw := disk.Entry(slices.Clone(e.Bytes()))
			if section != disk.SectionParameters {
				bci, ok := m.newIndex(e.Point())
				if !ok || ofEscapeAnalysis(e) {
					m.counts.TrapsDropped += int(oneIfTrue(!ofEscapeAnalysis(e)))
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

// newIndex returns the new index of an old bytecode; ok is false if it is unknown. A bytecode between two points moves
// with them, unless the code between them has changed.
func (m *mover) newIndex(old int32) (now int32, ok bool) {
	i, found := slices.BinarySearchFunc(m.old.points, old, comparePlace)
	if found {
		if j := m.alignment.to[i]; j >= 0 {
			return m.now.Points[j].Bci, true
		}
		return 0, false
	}
	before, ok1 := m.shiftOf(i - 1)
	after, ok2 := m.shiftOf(i)
	now = old + before
	return now, ok1 && ok2 && before == after && m.stayAdjacent(i) && now >= 0 && now <= math.MaxUint16
}

func comparePlace(p methodcode.Point, bci int32) int { return int(p.Bci - bci) }

// shiftOf returns the distance that an old point has moved. The start of the code stays, the end moves with its size.
func (m *mover) shiftOf(i int) (int32, bool) {
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

func (m *mover) stayAdjacent(i int) bool {
	before := -1
	after := len(m.now.Points)
	if i > 0 {
		before = m.alignment.to[i-1]
	}
	if i < len(m.old.points) {
		after = m.alignment.to[i]
	}
	return before+1 == after
}

// clearReceivers clears the rows of types that are no instances of the class whose method the new code calls.
func (m *mover) clearReceivers(raw disk.Entry, j int) error {
	holder := m.now.Points[j].Holder
	if m.code == nil || holder == "" {
		return nil
	}
	for cell, kind := range m.shape.Pointers(raw) {
		if kind != disk.CellType || raw.Cell(cell) == 0 {
			continue
		}
		possible, err := m.mayBeReceiver(raw.Cell(cell), holder)
		if err != nil {
			return err
		}
		if !possible {
			m.countLoss(lostReceivers, float64(raw.Cell(cell+1)))
			raw.SetCell(cell, 0)
			raw.SetCell(cell+1, 0)
		}
	}
	return nil
}

func (m *mover) mayBeReceiver(pointer uint64, holder string) (bool, error) {
	t, err := m.s.TypeAt(disk.RefOf(int64(pointer - m.s.Header().Base)))
	if err != nil {
		return false, err
	}
	name, err := t.Name()
	if err != nil {
		return false, err
	}
	is, known := m.code.Assignable(name.String(), holder)
	return is || !known, nil
}

func (m *mover) countLoss(why string, counts float64) {
	if counts > 0 {
		m.report.addLoss(why, counts)
		m.counts.CountsDropped += counts
	}
}

// Digits of TypeProfileLevel. The last digit is for the types of arguments, the one before for return values.
const (
	typesOfHandles = 1
	typesOfAll     = 2
)

// maxTypedArguments is HotSpot's default of TypeProfileArgsLimit.
const maxTypedArguments = 2

// recordedTypes returns the cells of the types that the VM records at an unexecuted call. It has a stack slot and a
// type for each reference argument, and a type for a returned reference.
func recordedTypes(p methodcode.Point, level uint32) (cells []uint64) {
	records := func(digit uint32) bool { return digit == typesOfAll || digit == typesOfHandles && p.Dynamic }
	arguments, reference := references(p.Signature)
	if records(level % 10) {
		for _, slot := range arguments[:min(len(arguments), maxTypedArguments)] {
			cells = append(cells, slot, 0)
		}
	}
	if records(level/10%10) && reference {
		cells = append(cells, 0)
	}
	return cells
}

func references(descriptor string) (slots []uint64, returned bool) {
	slot := uint64(0)
	parameters, result := javanames.SplitParameters(descriptor)
	for _, p := range parameters {
		switch {
		case javanames.IsReference(p):
			slots = append(slots, slot)
		case p == "J" || p == "D":
			slot++
		}
		slot++
	}
	return slots, javanames.IsReference(result)
}

func (m *mover) newTypedEntry(tag layout.Tag, p methodcode.Point, types []uint64) disk.Entry {
	_, raw := disk.NewEntry(nil, tag, 0, uint16(p.Bci), 0, m.shape.Cells(tag, len(types)))
	first := m.shape.TypeList(tag)
	raw.SetCell(first-1, uint64(len(types)))
	for i, c := range types {
		raw.SetCell(first+i, c)
	}
	return raw
}
