package profarc

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Advice says what a JIT should do with a function that a run has just set up. A function that should be neither
// counted nor compiled stays in the interpreter.
type Advice struct {
	// Compile means that the archive's profile is hot and stable, so that the function can be compiled at once.
	Compile bool
	// Count means that more counts are needed: the archive lacks the function, or a compilation from its profile is
	// likely to fail, or few runs support it. Counting may stop only where Count is false.
	Count bool
	// Reason is one line for people.
	Reason string
	// Runs is the number of runs that called the function. Changed is the number of runs in which one of its hot points
	// went another way than before.
	Runs, Changed uint64
	// Deopts is the number of deoptimizations that Function.Deopts has counted in all runs.
	Deopts uint64
}

// matureRuns is the number of runs after which counting may stop.
const matureRuns = 3

// Advice returns what the earlier runs advise for the function. Its cost does not depend on the size of the archive,
// except for a binary search.
func (f *Function) Advice() Advice {
	a := Advice{Count: true, Reason: "the archive has no profile of this code"}
	if !f.profile.Valid() {
		return a
	}
	_, a.Runs, a.Changed = f.run.notesOf(f.profile.Ref())
	a.Deopts = deoptsOf(f.profile)
	hot := f.run.hot
	switch {
	case a.Runs == 0:
		a.Reason = "no earlier run counted a call of this code"
	case hot.Rows == 0 || trainedWeight(f.profile) < hot.Cell(1, hot.Rows-1):
		a.Count = false
		a.Reason = fmt.Sprintf("not hot in %d runs", a.Runs)
	case 2*a.Changed >= a.Runs:
		a.Reason = fmt.Sprintf("hot points went another way in %d of %d runs", a.Changed, a.Runs)
	case a.Deopts > a.Runs:
		a.Reason = fmt.Sprintf("%d deoptimizations in %d runs", a.Deopts, a.Runs)
	default:
		a.Compile = true
		a.Count = a.Runs < matureRuns
		a.Reason = fmt.Sprintf("hot and stable in %d runs", a.Runs)
	}
	return a
}

// trainedWeight returns the calls and loop iterations of earlier runs.
func trainedWeight(p reader.Profile) (weight uint64) {
	calls, _ := p.Invocations()
	loops, _ := p.Backedges()
	return disk.SaturatingAdd(calls.Trained(), loops.Trained())
}

func deoptsOf(p reader.Profile) (n uint64) {
	for e := range p.Entries() {
		cause := int(e.Sub()) - int(layout.SubDeopts)
		if e.Tag() == layout.TagCount && cause >= 0 && cause <= layout.MaxDeoptCause {
			n = disk.SaturatingAdd(n, e.Cell(0).Load())
		}
	}
	return n
}

// readAdvice reads the tables of the archive that advise. A damaged table advises nothing.
func (r *Run) readAdvice() {
	r.advice, _ = r.store.TableOrEmpty(disk.TableAdvice)
	r.hot, _ = r.store.TableOrEmpty(disk.TableHot)
}

// notesOf returns the row of TableAdvice for a profile, or zeros. The rows are sorted by profile.
func (r *Run) notesOf(p layout.Ref) (first, runs, changed uint64) {
	t := &r.advice
	row := sort.Search(t.Rows, func(row int) bool { return t.Cell(0, row) >= uint64(p) })
	if row == t.Rows || t.Cell(0, row) != uint64(p) {
		return 0, 0, 0
	}
	return t.Cell(1, row), t.Cell(2, row), t.Cell(3, row)
}

// Hot returns the archive's hottest profiles, at most n, in descending order of their calls and loop iterations.
// Together they have 99% of these counts, unless n is smaller. The order was computed when the archive was written.
// Run.Function adopts a profile by its key and code.
func (r *Run) Hot(n int) (hot []reader.Profile) {
	for row := range min(n, r.hot.Rows) {
		p, err := r.store.ProfileAt(layout.Ref(r.hot.Cell(0, row)))
		if err == nil {
			hot = append(hot, p)
		}
	}
	return hot
}

// HotByUse is like Hot, but returns the profiles in the order in which runs first used their functions.
func (r *Run) HotByUse(n int) []reader.Profile {
	hot := r.Hot(n)
	slices.SortStableFunc(hot, func(p, q reader.Profile) int {
		first, _, _ := r.notesOf(p.Ref())
		second, _, _ := r.notesOf(q.Ref())
		return cmp.Compare(first-1, second-1) // 0 means unknown, and comes last
	})
	return hot
}

// Coverage returns the share of this run's calls that went to functions with a profile in the archive, from 0 to 1.
// Before the first call it is 0.
func (r *Run) Coverage() float64 {
	covered, all := uint64(0), uint64(0)
	for _, f := range r.used() {
		calls := f.callsOfRun()
		if f.profile.Valid() {
			covered += calls
		}
		all += calls
	}
	return float64(covered) / float64(max(all, 1))
}
