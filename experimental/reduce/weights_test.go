package reduce_test

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unitName returns the unit of what an entry counts. It does not use the code under test.
func unitName(e reader.Entry) string {
	if e.Tag() == layout.TagCount {
		switch e.Sub() {
		case layout.SubBytecodes, layout.SubCycles, layout.SubNativeCalls, layout.SubNewArrays, layout.SubSamples,
			layout.SubNanoseconds:
			return fmt.Sprint("sub ", e.Sub())
		}
	}
	if s, ok := e.Shape(); ok && s.Unit == disk.UnitArrays {
		return fmt.Sprint("sub ", layout.SubNewArrays)
	}
	return "executions"
}

// cycles is the inclusive unit: a method's cycles are also counted for its callers.
var cycles = fmt.Sprint("sub ", layout.SubCycles)

// weightOf returns the weight of a method in each unit, as a user of the library would compute it.
func weightOf(s *reader.Store, m reader.Method) map[string]*big.Int {
	sums := map[string]*big.Int{}
	add := func(unit string, n uint64) {
		if sums[unit] == nil {
			sums[unit] = new(big.Int)
		}
		sums[unit].Add(sums[unit], new(big.Int).SetUint64(n))
	}
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	for p := range m.Profiles() {
		if isMarked(s, p) {
			continue
		}
		if n, ok := p.Invocations(); ok {
			add("executions", n.Load())
		}
		for e := range p.Entries() {
			for cell := range shape.Counts(disk.Entry(e.Bytes())) {
				if n := e.Cell(cell).Load(); !disk.Entry(e.Bytes()).SignedCount() || int64(n) >= 0 {
					add(unitName(e), n)
				}
			}
		}
	}
	if highest := highestCycles(m); highest.Sign() > 0 {
		sums[cycles] = highest
	}
	for _, sum := range sums {
		if most := new(big.Int).SetUint64(1<<64 - 1); sum.Cmp(most) > 0 {
			sum.Set(most)
		}
	}
	return sums
}

// highestCycles returns the cycles of a method. Several counts with the same mark are
// of several methods, so that only the highest counts.
func highestCycles(m reader.Method) *big.Int {
	sum := new(big.Int)
	for p := range m.Profiles() {
		for _, marked := range []bool{false, true} {
			highest := uint64(0)
			for e := range p.Entries() {
				if unitName(e) == cycles && (e.Flags()&disk.EntryInterpreted != 0) == marked {
					highest = max(highest, e.Cell(0).Load())
				}
			}
			sum.Add(sum, new(big.Int).SetUint64(highest))
		}
	}
	return sum
}

// isMarked reports whether LLVM marks a function as hot or warm, without counts.
func isMarked(s *reader.Store, p reader.Profile) bool {
	e, ok := firstCounters(p)
	return ok && s.Header().Domain.LLVM() && e.Cells() > 0 && e.Cell(0).Load() >= 1<<64-2
}

// hasMarks reports whether an archive has functions that are marked.
func hasMarks(s *reader.Store) bool {
	for m := range s.Methods() {
		for p := range m.Profiles() {
			if isMarked(s, p) {
				return true
			}
		}
	}
	return false
}

// firstCounters returns the first array of counters.
func firstCounters(p reader.Profile) (reader.Entry, bool) {
	for e := range p.Entries() {
		if e.Tag() == layout.TagCounters {
			return e, true
		}
	}
	return reader.Entry{}, false
}

// A weighedMethod is a method with its weight in some unit.
type weighedMethod struct {
	name   string
	weight *big.Int
}

// weightsOf returns the methods of each unit, the heaviest first, and the sums.
func weightsOf(t testarchive.TB, s *reader.Store) (all map[string][]weighedMethod, totals map[string]*big.Int) {
	all, totals = map[string][]weighedMethod{}, map[string]*big.Int{}
	for m := range s.Methods() {
		for unit, w := range weightOf(s, m) {
			if w.Sign() == 0 {
				continue
			}
			if totals[unit] == nil {
				totals[unit] = new(big.Int)
			}
			all[unit] = append(all[unit], weighedMethod{keyText(t, m), w})
			totals[unit].Add(totals[unit], w)
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b weighedMethod) int { return b.weight.Cmp(a.weight) })
	}
	return all, totals
}

// enough reports whether a sum is at least a part of a total.
func enough(sum, total *big.Int, part layout.Weight) bool {
	scaled := new(big.Int).Mul(sum, big.NewInt(int64(layout.WeightOne)))
	return scaled.Cmp(new(big.Int).Mul(total, big.NewInt(int64(part)))) >= 0
}

// checkNeeded checks which methods with profiles stay: those that are needed for a
// share of the counts of some unit, and those on stacks that stay. For a share of 99%
// of cycles, the methods are needed that have at least 1% of the highest.
func checkNeeded(t testarchive.TB, s *reader.Store, stay map[string]string, sampled map[string]bool,
	hot layout.Weight) {
	t.Helper()
	all, totals := weightsOf(t, s)
	needed := map[string]bool{}
	for unit, list := range all {
		sum := new(big.Int)
		for _, m := range list {
			if unit == cycles && !enough(m.weight, list[0].weight, layout.WeightOne-hot) ||
				unit != cycles && enough(sum, totals[unit], hot) {
				break
			}
			needed[m.name] = true
			sum.Add(sum, m.weight)
		}
	}
	for m := range s.Methods() {
		name := keyText(t, m)
		want := numProfiles(m) > 0 && (needed[name] || sampled[name])
		if _, stays := stay[name]; stays != want {
			t.Errorf("hot %s: %s of weight %s stays: %v, want %v", hot, name, weightOf(s, m), stays, want)
		}
	}
}
