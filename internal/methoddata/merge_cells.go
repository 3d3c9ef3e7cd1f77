package methoddata

import (
	"math"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// cells adds an entry whose cells are those of x and y, one by one.
func (m *Merger) cells(x, y disk.Entry) {
	e := m.keep(x)
	uniteHeaders(e, y)
	switch {
	case e.Tag() == layout.TagCounters && m.LLVM:
		m.counters(e, y)
		return
	case e.Tag() == layout.TagBitmap, e.Tag() == layout.TagArgInfo:
		for i := range e.Cells() {
			e.SetCell(i, e.Cell(i)|y.Cell(i))
		}
		if e.Tag() == layout.TagArgInfo {
			e.SetCell(0, x.Cell(0)) // the length
		}
		return
	}
	for i := range e.Cells() {
		e.SetCell(i, max(x.Cell(i), y.Cell(i))) // of one code they are the same
	}
	for cell := range m.Shape.Counts(e) {
		e.SetCell(cell, disk.SaturatingAdd(x.Cell(cell), m.Rules.Weight.Of(y.Cell(cell))))
	}
	for cell, kind := range m.Shape.Pointers(e) {
		if kind == disk.CellTypeWord {
			e.SetCell(cell, uniteTypeWords(x.Cell(cell), y.Cell(cell)))
		}
	}
}

// uniteHeaders adds the flags and traps of y to e.
func uniteHeaders(e, y disk.Entry) {
	e.SetFlags(e.Flags() | y.Flags())
	if !e.Tag().Wide() {
		e.SetTraps(disk.UniteTraps(e.Traps(), y.Traps()))
	}
}

// uniteTypeWords is the type profile of a value for both. Once several types
// were seen, none of them stays.
func uniteTypeWords(x, y uint64) uint64 {
	tags := (x | y) & disk.TypeTags
	x, y = x&^disk.TypeTags, y&^disk.TypeTags
	switch {
	case tags&disk.TypeUnknown != 0:
		return tags
	case x == y, x == 0, y == 0:
		return x | y | tags
	}
	return tags | disk.TypeUnknown
}

// counters sums LLVM's counters.
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
			e.SetCell(i, min(disk.SaturatingAdd(e.Cell(i), m.Rules.Weight.Of(y.Cell(i))), rules.highest))
		}
	}
}

// countersOfOne keeps the counts and not the mark, of which one has these and
// the other that: counts say more. llvm-profdata keeps what came first.
func (m *Merger) countersOfOne(e, y disk.Entry, first bool) {
	if m.Rules.AsLLVM {
		return
	}
	for i := range e.Cells() {
		n := e.Cell(i)
		if !first {
			n = m.Rules.Weight.Of(y.Cell(i))
		}
		e.SetCell(i, min(n, disk.LLVMMaxCount))
	}
}

// hotCounters unites two that are known to be hot or warm. What stands behind
// the mark is no count either; llvm-profdata keeps the first.
func (m *Merger) hotCounters(e, y disk.Entry) {
	e.SetCell(0, max(e.Cell(0), y.Cell(0)))
	for i := 1; i < e.Cells() && !m.Rules.AsLLVM; i++ {
		e.SetCell(i, max(e.Cell(i), y.Cell(i)))
	}
}

// scaleCounters gives LLVM's counters a weight. A mark is no count and has none,
// but llvm-profdata multiplies it as it does the others.
func (m *Merger) scaleCounters(e disk.Entry) {
	rules := m.countRules()
	if e.Cells() > 0 && rules.isMark(e.Cell(0)) && !m.Rules.AsLLVM {
		return
	}
	for i := range e.Cells() {
		e.SetCell(i, min(m.Rules.Weight.Of(e.Cell(i)), rules.highest))
	}
}

// Scale gives a block of a run its weight.
func (m *Merger) Scale(block disk.Block) {
	if m.Rules.Weight == layout.WeightOne || m.Rules.Weight == 0 {
		return
	}
	EachEntry(m.Shape, block, func(_ layout.BlockSection, e disk.Entry) { m.scaleEntry(e) })
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
	for cell := range m.Shape.Counts(e) {
		if v := e.Cell(cell); cell == 0 && e.SignedCount() {
			e.SetCell(cell, uint64(w.OfSigned(int64(v))))
		} else {
			e.SetCell(cell, w.Of(v))
		}
	}
}

// saturateSigned adds without running over.
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
