package methoddata

import (
	"cmp"
	"encoding/binary"
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func (m *Merger) cells(x, y disk.Entry) {
	e := m.keepEntry(x)
	uniteHeaders(e, y)
	if e.Tag() == layout.TagCounters && m.LLVM {
		m.counters(e, y)
		return
	}
	signed := m.Shape.SignedCell(e)
	for cell, kind := range m.Shape.WalkCells(e) {
		e.SetCell(cell, uniteCells(kind, cell == signed, x.Cell(cell), m.weigh(kind, cell == signed, y.Cell(cell))))
	}
}

func (m *Merger) weigh(kind disk.CellKind, signed bool, v uint64) uint64 {
	switch {
	case kind != disk.CellCount:
		return v
	case signed:
		return uint64(disk.ApplyWeightSigned(m.Rules.Weight, int64(v)))
	}
	return disk.ApplyWeight(m.Rules.Weight, v)
}

func uniteCells(kind disk.CellKind, signed bool, x, y uint64) uint64 {
	switch kind {
	case disk.CellCount:
		if signed {
			return uint64(saturateSigned(int64(x), int64(y)))
		}
		return disk.SaturatingAdd(x, y)
	case disk.CellBits, disk.CellFlags:
		return x | y
	case disk.CellFirst:
		return cmp.Or(x, y)
	case disk.CellLast:
		return cmp.Or(y, x)
	case disk.CellMin:
		return cmp.Or(min(x, y), max(x, y))
	case disk.CellTypeWord:
		return uniteTypeWords(x, y)
	case disk.CellTraps:
		return uint64(disk.UniteTraps(layout.EntryTraps(x), layout.EntryTraps(y)))
	}
	return max(x, y) // CellMax; cells of other kinds are equal for the same code
}

func uniteHeaders(e, y disk.Entry) {
	e.SetFlags(e.Flags() | y.Flags())
	if !disk.IsWide(e.Tag()) {
		e.SetTraps(disk.UniteTraps(e.Traps(), y.Traps()))
	}
}

// uniteTypeWords returns the merged type profile of one value. If several types were seen, it keeps none of them.
func uniteTypeWords(x, y uint64) uint64 {
	tags := (x | y) & disk.TypeTags
	x = x &^ disk.TypeTags
	y = y &^ disk.TypeTags
	switch {
	case tags&disk.TypeUnknown != 0:
		return tags
	case x == y, x == 0, y == 0:
		return x | y | tags
	}
	return tags | disk.TypeUnknown
}

func (m *Merger) counters(e, y disk.Entry) {
	if e.Cells() == 0 {
		return
	}
	rules := m.countRules()
	switch hot, more := rules.isMark(e.Cell(0)), rules.isMark(y.Cell(0)); {
	case hot && more:
		m.hotCounters(e, y)
	case hot || more:
		m.Unmerged++
		m.countersOfOne(e, y, more)
	default:
		for i := range e.Cells() {
			e.SetCell(i, min(disk.SaturatingAdd(e.Cell(i), disk.ApplyWeight(m.Rules.Weight, y.Cell(i))), rules.highest))
		}
	}
}

// countersOfOne merges counts with a mark. It keeps the counts, which tell more; llvm-profdata keeps the first entry.
func (m *Merger) countersOfOne(e, y disk.Entry, first bool) {
	if m.Rules.AsLLVM {
		m.counter().AddEntry(y)
		return
	}
	for i := range e.Cells() {
		n := e.Cell(i)
		if !first {
			n = disk.ApplyWeight(m.Rules.Weight, y.Cell(i))
		}
		e.SetCell(i, min(n, disk.LLVMMaxCount))
	}
}

// hotCounters merges two functions with a hot or warm mark. The cells after the mark are not counts; llvm-profdata
// keeps the cells of the first function.
func (m *Merger) hotCounters(e, y disk.Entry) {
	e.SetCell(0, max(e.Cell(0), y.Cell(0)))
	for i := 1; i < e.Cells() && !m.Rules.AsLLVM; i++ {
		e.SetCell(i, max(e.Cell(i), y.Cell(i)))
	}
}

// scaleCounters multiplies LLVM's counters by the weight. Only llvm-profdata multiplies marked functions.
func (m *Merger) scaleCounters(e disk.Entry) {
	rules := m.countRules()
	if e.Cells() > 0 && rules.isMark(e.Cell(0)) && !m.Rules.AsLLVM {
		return
	}
	for i := range e.Cells() {
		e.SetCell(i, min(disk.ApplyWeight(m.Rules.Weight, e.Cell(i)), rules.highest))
	}
}

func (m *Merger) Scale(block disk.Block) {
	if m.Rules.Weight == layout.WeightOne || m.Rules.Weight == 0 {
		return
	}
	EachEntry(m.Shape, block, func(_ disk.BlockSection, e disk.Entry) { m.scaleEntry(e) })
	for f := disk.HasInvocations; f <= disk.HasInterpreted; f <<= 1 {
		if field := block.Field(f); field != nil {
			m.scaleField(f, field)
		}
	}
}

func (m *Merger) scaleEntry(e disk.Entry) {
	w := m.Rules.Weight
	if w == layout.WeightOne || w == 0 {
		return
	}
	if e.Tag() == layout.TagCounters && m.LLVM {
		m.scaleCounters(e)
		return
	}
	signed := m.Shape.SignedCell(e)
	for cell := range m.Shape.Counts(e) {
		e.SetCell(cell, m.weigh(disk.CellCount, cell == signed, e.Cell(cell)))
	}
}

func saturateSigned(a, b int64) int64 {
	sum := a + b
	if (a < 0) == (b < 0) && (sum < 0) != (a < 0) {
		if a < 0 {
			return -math.MaxInt64 - 1
		}
		return math.MaxInt64
	}
	return sum
}

var le = binary.LittleEndian

func (m *Merger) fields(x, y disk.Block, out *Parts) {
	for f := disk.HasInvocations; f < disk.HasSections; f <<= 1 {
		if f&disk.FileFields != 0 {
			continue
		}
		a := fieldBytes(x, f)
		b := fieldBytes(y, f)
		field := out.fields[fieldIndex(f)][:0]
		switch {
		case a == nil && b == nil:
			continue
		case a == nil:
			field = append(field, b...)
			m.scaleField(f, field)
		case b == nil:
			field = append(field, a...)
		default:
			field = m.field(f, append(field, a...), b)
		}
		out.presence |= f
		out.fields[fieldIndex(f)] = field
	}
}

func fieldBytes(b disk.Block, f disk.Presence) []byte {
	if b == nil {
		return nil
	}
	start, ok := b.FieldOffset(f)
	if !ok {
		return nil
	}
	end, _ := b.FieldOffset(f << 1)
	return b[start:end]
}

func isCount(f disk.Presence) bool {
	return f == disk.HasInvocations || f == disk.HasBackedges || f == disk.HasInterpreted
}

func (m *Merger) scaleField(f disk.Presence, field []byte) {
	if isCount(f) {
		le.PutUint64(field, disk.ApplyWeight(m.Rules.Weight, le.Uint64(field)))
	}
}

func (m *Merger) field(f disk.Presence, a, b []byte) []byte {
	switch {
	case isCount(f):
		le.PutUint64(a, disk.SaturatingAdd(le.Uint64(a), disk.ApplyWeight(m.Rules.Weight, le.Uint64(b))))
	case f == disk.HasSize:
		each32(a, b, func(x, y uint32) uint32 { return max(x, y) })
	case f == disk.HasHistory:
		each32(a, b, func(x, y uint32) uint32 { return x + min(y, 1<<32-1-x) })
	case f == disk.HasCompile:
		for i := range 4 {
			a[i] = max(a[i], b[i])
		}
		for i := 4; i < 8; i += 2 {
			le.PutUint16(a[i:], max(le.Uint16(a[i:]), le.Uint16(b[i:])))
		}
	case f == disk.HasEscape:
		uniteEscape(a, b)
	case f == disk.HasTraps:
		return uniteTrapHistory(a, b)
	}
	return a
}

func each32(a, b []byte, both func(x, y uint32) uint32) {
	for i := 0; i < len(a); i += 4 {
		le.PutUint32(a[i:], both(le.Uint32(a[i:]), le.Uint32(b[i:])))
	}
}

// escapeMay are the flags of HotSpot's escape analysis for events that can happen. The other flags exclude an event.
// See EscapeFlag in methodData.hpp.
const escapeMay = 1<<3 | 1<<4 // allocated_escapes, unknown_modified

// uniteEscape keeps facts that hold in both runs. An argument is local if it is in both, and can be returned if in one.
func uniteEscape(a, b []byte) {
	u := func(p []byte, i int) uint64 { return le.Uint64(p[8*i:]) }
	le.PutUint64(a[0:], u(a, 0)&u(b, 0)&^escapeMay|(u(a, 0)|u(b, 0))&escapeMay)
	le.PutUint64(a[8:], u(a, 1)&u(b, 1))
	le.PutUint64(a[16:], u(a, 2)&u(b, 2))
	le.PutUint64(a[24:], u(a, 3)|u(b, 3))
}

// uniteTrapHistory adds the traps of each reason. A byte saturates at 255.
func uniteTrapHistory(a, b []byte) []byte {
	if len(b) > len(a) || len(b) == len(a) && le.Uint32(b) > le.Uint32(a) {
		a, b = append([]byte(nil), b...), a
	}
	for i := 8; i < len(b); i++ {
		a[i] += min(b[i], 255-a[i])
	}
	return a
}

type Certain struct {
	Point   int32
	Outcome uint64 // see disk.TableCertain
	Count   uint64 // executions of the site in the entry with one outcome
}

// noteCertain adds to m.Certain the sites that have a certain outcome in x or y and not in the merged entry. A site
// that was certain in an earlier run was added by an earlier merge, or is still certain in x or y. The total of all
// counts added for a site therefore does not depend on the order of merges.
func (m *Merger) noteCertain(x, y disk.Entry) {
	a, waysX := m.onlyWay(x, 0)
	b, waysY := m.onlyWay(y, m.Rules.Weight)
	if waysX > 0 && waysY > 0 && (waysX+waysY > 2 || a.what != b.what) {
		m.addCertain(x, a, waysX == 1)
		m.addCertain(x, b, waysY == 1)
	}
	if !isTypeCheck(x) || sawNull(x) == sawNull(y) {
		return
	}
	m.addCertain(x, countedRow{disk.OutcomeNoNull, m.typed(x, 0)}, !sawNull(x))
	m.addCertain(x, countedRow{disk.OutcomeNoNull, m.typed(y, m.Rules.Weight)}, !sawNull(y))
}

func (m *Merger) addCertain(at disk.Entry, r countedRow, certain bool) {
	if certain && r.count > 0 {
		m.Certain = append(m.Certain, Certain{at.Point(), r.what, r.count})
	}
}

func (m *Merger) onlyWay(e disk.Entry, w layout.Weight) (only countedRow, ways int) {
	add := func(what, count uint64) {
		count = disk.ApplyWeight(w, count)
		if count > 0 {
			only = countedRow{what, count}
			ways++
		}
	}
	switch tag := e.Tag(); {
	case tag == layout.TagBranch || tag == layout.TagMultiBranch:
		way := uint64(0)
		for cell := range m.Shape.Counts(e) {
			add(way, e.Cell(cell))
			way++
		}
	case tag == layout.TagSuccessors && e.Sub() == layout.SubConditional:
		for row := range e.Rows() {
			add(e.Cell(2*row), e.Cell(2*row+1))
		}
	}
	return only, ways
}

func isTypeCheck(e disk.Entry) bool {
	return e.Tag() == layout.TagReceiverType || e.Tag() == layout.TagReceivers && e.Sub() == layout.SubTypeCheck
}

func sawNull(e disk.Entry) bool { return e.Flags()&layout.EntryNullSeen != 0 }

// typed returns the total count of the rows with a type. The count outside the rows is ignored. A VM may decrement it,
// and a saturating total would then depend on the order of merges.
func (m *Merger) typed(e disk.Entry, w layout.Weight) (sum uint64) {
	for _, r := range m.receiverRows(e) {
		sum = disk.SaturatingAdd(sum, disk.ApplyWeight(w, r.count))
	}
	return sum
}
