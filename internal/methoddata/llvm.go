package methoddata

import (
	"cmp"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/libstdcxx"
	"github.com/profarc/profarc/layout"
)

// With Run.AsLLVM a merge is that of llvm-profdata merge --num-threads=1, which
// depends on the order of the files and on the release. ParamLLVMVersion tells
// the release; without it the newest is taken.

// llvmFastSortsSince is the version of the indexed format of the first
// llvm-profdata that sorts values by std::sort, 19; before it was a stable sort.
const llvmFastSortsSince = 12

// maxSiteValues is how many values of a site llvm-profdata keeps.
const maxSiteValues = 255

// A countRule says what the highest numbers mean that a counter of LLVM can
// hold.
type countRule struct {
	highest uint64 // sums saturate here
	marks   bool   // the two numbers above stand for hot and warm functions
}

var (
	llvmRules    = countRule{disk.LLVMMaxCount, true}
	oldLLVMRules = countRule{math.MaxUint64, false}
)

// countRules returns the rule by which counters of LLVM are summed.
func (m *Merger) countRules() countRule {
	if m.Rules.AsLLVM && !disk.LLVMMarks(m.Rules.Params) {
		return oldLLVMRules
	}
	return llvmRules
}

// CountersAdd reports whether counters of functions that are not marked are
// summed and nothing else: they have no weight, and saturate below the marks.
func (m *Merger) CountersAdd() bool {
	return m.countRules() == llvmRules && (m.Rules.Weight == layout.WeightOne || m.Rules.Weight == 0)
}

// isMark reports whether the first counter of a function is a mark, and no count.
func (r countRule) isMark(first uint64) bool { return r.marks && first > r.highest }

// asLLVM leaves out what llvm-profdata does not merge. Bitmaps of other sizes are
// not of the same decisions, and a mark that a function is hot is no run: it sums
// the counters alone. Of a kind with other numbers of value sites it keeps the
// first.
func (m *Merger) asLLVM(x, y []disk.Entry, otherBitmaps bool) []disk.Entry {
	if otherBitmaps {
		m.Unmerged++
	}
	if otherBitmaps || m.isMarked(x) || m.isMarked(y) {
		return slices.DeleteFunc(y, func(e disk.Entry) bool { return e.Tag() != layout.TagCounters })
	}
	have, more := sitesOf(x), sitesOf(y)
	for kind, n := range more {
		if have[kind] != n {
			m.Unmerged++
		}
	}
	return slices.DeleteFunc(y, func(e disk.Entry) bool {
		return e.Tag() == layout.TagValueSite && have[e.Sub()] != more[e.Sub()]
	})
}

// isMarked reports whether the counters among entries are a mark, and no counts.
func (m *Merger) isMarked(all []disk.Entry) bool {
	rules := m.countRules()
	return slices.ContainsFunc(all, func(e disk.Entry) bool {
		return e.Tag() == layout.TagCounters && e.Cells() > 0 && rules.isMark(e.Cell(0))
	})
}

// sitesOf counts value sites by kind.
func sitesOf(all []disk.Entry) map[layout.Sub]int {
	sites := map[layout.Sub]int{}
	for _, e := range all {
		if e.Tag() == layout.TagValueSite {
			sites[e.Sub()]++
		}
	}
	return sites
}

// valueSiteAsLLVM merges two value sites. A site can name a value several times:
// in a raw file every address without a name is the value 0. llvm-profdata pairs
// such values in the order in which its sort by value leaves them. That order
// follows from the order before: of the first site the highest count is first,
// the second is as the file has it. Values that the first site does not have
// come without the weight. It keeps 255 values of each sum.
func (m *Merger) valueSiteAsLLVM(x, y disk.Entry) {
	have, more := m.llvmTop(rowsOf(x, 0)), rowsOf(y, 0)
	m.llvmSortValues(have)
	m.llvmSortValues(more)
	all := m.llvmTop(m.uniteSorted(have, more, layout.WeightOne))
	m.list(x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(), 0, all)
}

// llvmTop returns the values with the highest counts, the highest first, those of
// one count in the order in which they came.
func (m *Merger) llvmTop(values []countedRow) []countedRow {
	slices.SortStableFunc(values, func(a, b countedRow) int { return cmp.Compare(b.count, a.count) })
	kept := values[:min(len(values), maxSiteValues)]
	m.Unmerged += uint64(len(values) - len(kept))
	return kept
}

// llvmSortValues sorts by value.
func (m *Merger) llvmSortValues(values []countedRow) {
	if v := m.Rules.Params.LLVMVersion; v > 0 && v < llvmFastSortsSince {
		slices.SortStableFunc(values, func(a, b countedRow) int { return cmp.Compare(a.what, b.what) })
		return
	}
	libstdcxx.Sort(values, func(a, b countedRow) bool { return a.what < b.what })
}
