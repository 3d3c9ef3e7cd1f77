package methoddata

import (
	"cmp"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/libstdcxx"
	"github.com/profarc/profarc/layout"
)

// With Rules.AsLLVM a merge equals llvm-profdata merge --num-threads=1, which depends on the order of the
// files and on the release. The release follows from Params.LLVMVersion; without it, it is the newest.

// llvmFastSortsSince is the version of the indexed format of the first
// llvm-profdata that sorts values by std::sort, 19; before it was a stable sort.
const llvmFastSortsSince = 12

// maxSiteValues is the number of values of a site that llvm-profdata keeps.
const maxSiteValues = 255

// A countRule says what the highest numbers of a counter of LLVM mean.
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

// CountersAdd reports whether counters of unmarked functions are simply summed: without
// a weight, and saturating below the marks.
func (m *Merger) CountersAdd() bool {
	return m.countRules() == llvmRules && (m.Rules.Weight == layout.WeightOne || m.Rules.Weight == 0)
}

// isMark reports whether the first counter of a function is a mark.
func (r countRule) isMark(first uint64) bool { return r.marks && first > r.highest }

// asLLVM returns the entries of y that llvm-profdata merges. If the sizes of bitmaps differ, or a function is
// marked, these are the counters only. Value sites of a kind are left out if their number differs.
func (m *Merger) asLLVM(x, y []disk.Entry, otherBitmaps bool) []disk.Entry {
	if otherBitmaps {
		m.Unmerged++
	}
	if otherBitmaps || m.isMarked(x) || m.isMarked(y) {
		return slices.DeleteFunc(y, func(e disk.Entry) bool { return e.Tag() != layout.TagCounters })
	}
	have := sitesOf(x)
	more := sitesOf(y)
	for kind, n := range more {
		if have[kind] != n {
			m.Unmerged++
		}
	}
	return slices.DeleteFunc(y, func(e disk.Entry) bool {
		return e.Tag() == layout.TagValueSite && have[e.Sub()] != more[e.Sub()]
	})
}

// isMarked reports whether the counters among entries begin with a mark.
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

// valueSiteAsLLVM merges two value sites. A site can have a value several times: in a raw file every address
// without a name is the value 0. llvm-profdata pairs such values in the order that its sort by value leaves,
// which depends on the order before: the first site has its highest count first, the second is as in the
// file. Values that the first site lacks have no weight. A sum keeps 255 values.
func (m *Merger) valueSiteAsLLVM(x, y disk.Entry) {
	have := m.llvmTop(rowsOf(x, 0))
	more := rowsOf(y, 0)
	m.llvmSortValues(have)
	m.llvmSortValues(more)
	all := m.llvmTop(m.uniteSorted(have, more, layout.WeightOne))
	m.listRows(x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(), listPlan{}, all)
}

// llvmTop returns the values with the highest counts, the highest first, equal ones in their order.
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
