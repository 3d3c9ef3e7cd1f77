package methoddata

import (
	"cmp"
	"math"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/libstdcxx"
	"github.com/profarc/profarc/layout"
)

// With Rules.AsLLVM, a merge equals llvm-profdata merge --num-threads=1. Its result depends on the order of the files
// and on the release of llvm-profdata, which Params.LLVMVersion determines. Without it, the newest release is assumed.

// llvmFastSortsSince is the version of the indexed format of llvm-profdata 19, the first release that sorts values with
// std::sort. Earlier releases use a stable sort.
const llvmFastSortsSince = 12

// maxSiteValues is the number of values that llvm-profdata keeps per site.
const maxSiteValues = 255

type countRule struct {
	highest uint64 // maximum count, at which additions saturate
	marks   bool   // the two values above highest mark hot and warm functions
}

var (
	llvmRules    = countRule{disk.LLVMMaxCount, true}
	oldLLVMRules = countRule{math.MaxUint64, false}
)

func (m *Merger) countRules() countRule {
	if m.Rules.AsLLVM && !disk.LLVMMarks(m.Rules.Params) {
		return oldLLVMRules
	}
	return llvmRules
}

func (r countRule) isMark(first uint64) bool { return r.marks && first > r.highest }

// asLLVM returns the entries of y that llvm-profdata merges. If the sizes of the bitmaps differ or a function is
// marked, these are only the counters. If x and y have different numbers of value sites of a kind, these sites are left
// out.
func (m *Merger) asLLVM(x, y []disk.Entry, otherBitmaps bool) []disk.Entry {
	if otherBitmaps {
		m.Unmerged++
	}
	if otherBitmaps || m.isMarked(x) || m.isMarked(y) {
		return m.without(y, func(e disk.Entry) bool { return e.Tag() != layout.TagCounters })
	}
	have := sitesOf(x)
	more := sitesOf(y)
	for kind, n := range more {
		if have[kind] != n {
			m.Unmerged++
		}
	}
	return m.without(y, func(e disk.Entry) bool {
		return e.Tag() == layout.TagValueSite && have[e.Sub()] != more[e.Sub()]
	})
}

func (m *Merger) without(all []disk.Entry, isDropped func(disk.Entry) bool) []disk.Entry {
	return slices.DeleteFunc(all, func(e disk.Entry) bool {
		if !isDropped(e) {
			return false
		}
		m.counter().AddEntry(e)
		return true
	})
}

func (m *Merger) isMarked(all []disk.Entry) bool {
	rules := m.countRules()
	return slices.ContainsFunc(all, func(e disk.Entry) bool {
		return e.Tag() == layout.TagCounters && e.Cells() > 0 && rules.isMark(e.Cell(0))
	})
}

func sitesOf(all []disk.Entry) map[layout.Sub]int {
	sites := map[layout.Sub]int{}
	for _, e := range all {
		if e.Tag() == layout.TagValueSite {
			sites[e.Sub()]++
		}
	}
	return sites
}

// valueSiteAsLLVM merges two value sites. A site can have a value several times; in a raw file, for example, every
// address without a name is the value 0. llvm-profdata pairs such values in the order that its sort by value leaves.
// That order depends on the order before. The values of x are first sorted by falling count, and the values of y are in
// the order of the file. Values that x lacks are added without the weight. A merged site keeps 255 values.
func (m *Merger) valueSiteAsLLVM(x, y disk.Entry) {
	have := m.llvmTop(rowsOf(x, 0))
	more := rowsOf(y, 0)
	m.llvmSortValues(have)
	m.llvmSortValues(more)
	all := m.llvmTop(m.uniteSorted(have, more, layout.WeightOne))
	m.listRows(x.Tag(), x.Flags()|y.Flags(), x.Sub(), x.Point(), listPlan{}, all)
}

// llvmTop keeps the values with the highest counts. It sorts them by falling count, and equal ones stay in their order.
func (m *Merger) llvmTop(values []countedRow) []countedRow {
	slices.SortStableFunc(values, func(a, b countedRow) int { return cmp.Compare(b.count, a.count) })
	kept := values[:min(len(values), maxSiteValues)]
	m.Unmerged += uint64(len(values) - len(kept))
	for _, v := range values[len(kept):] {
		m.Lost.Add(ledger.ValueCounts, v.count)
	}
	return kept
}

// llvmSortValues sorts by value, with equal values in the order that llvm-profdata leaves.
func (m *Merger) llvmSortValues(values []countedRow) {
	if v := m.Rules.Params.LLVMVersion; v > 0 && v < llvmFastSortsSince {
		slices.SortStableFunc(values, func(a, b countedRow) int { return cmp.Compare(a.what, b.what) })
		return
	}
	libstdcxx.Sort(values, func(a, b countedRow) bool { return a.what < b.what })
}
