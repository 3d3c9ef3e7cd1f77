package reduce_test

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unitName says what an entry counts, in another way than the builder does.
func unitName(e reader.Entry) string {
	if e.Tag() == layout.TagCount {
		switch e.Sub() {
		case layout.SubBytecodes, layout.SubCycles, layout.SubNativeCalls, layout.SubNewArrays, layout.SubSamples:
			return fmt.Sprint("sub ", e.Sub())
		}
	}
	return "executions"
}

// cycles is the unit whose counts are in those of the callers too.
var cycles = fmt.Sprint("sub ", layout.SubCycles)

// weightOf adds up a method, unit by unit, in another way than the builder does:
// from the numbers of the library's users.
func weightOf(s *reader.Store, m reader.Method) map[string]*big.Int {
	sums := map[string]*big.Int{}
	add := func(unit string, n uint64) {
		if sums[unit] == nil {
			sums[unit] = new(big.Int)
		}
		sums[unit].Add(sums[unit], new(big.Int).SetUint64(n))
	}
	shape := disk.ShapeOf(&s.Header().Params)
	for p := range m.Profiles() {
		if calledHot(s, p) {
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

// highestCycles is what a method has of cycles, of which several counts that are
// marked alike are of several methods.
func highestCycles(m reader.Method) *big.Int {
	sum := new(big.Int)
	for p := range m.Profiles() {
		for _, marked := range []bool{false, true} {
			highest := uint64(0)
			for e := range p.Entries() {
				if unitName(e) == cycles && (e.Flags()&layout.EntryInterpreted != 0) == marked {
					highest = max(highest, e.Cell(0).Load())
				}
			}
			sum.Add(sum, new(big.Int).SetUint64(highest))
		}
	}
	return sum
}

// calledHot reports whether LLVM calls a function hot or warm without counts.
func calledHot(s *reader.Store, p reader.Profile) bool {
	e, ok := firstCounters(p)
	return ok && s.Header().Domain.LLVM() && e.Cells() > 0 && e.Cell(0).Load() >= 1<<64-2
}

func callsHot(s *reader.Store) bool {
	for m := range s.Methods() {
		for p := range m.Profiles() {
			if calledHot(s, p) {
				return true
			}
		}
	}
	return false
}

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

// weightsOf are the methods of each unit, the heaviest first, and the sums.
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

// enough reports whether a sum is a part of a total.
func enough(sum, total *big.Int, part layout.Weight) bool {
	scaled := new(big.Int).Mul(sum, big.NewInt(int64(layout.WeightOne)))
	return scaled.Cmp(new(big.Int).Mul(total, big.NewInt(int64(part)))) >= 0
}

// checkNeeded checks that the methods with profiles that stay are those that are
// needed for a share of the counts of some unit, and those that are on stacks
// that stay. Of cycles a method is needed if its part of the highest is the rest
// of the share.
func checkNeeded(t testarchive.TB, s *reader.Store, stay map[string]string, sampled map[string]bool, hot layout.Weight) {
	t.Helper()
	all, totals := weightsOf(t, s)
	needed := map[string]bool{}
	for unit, list := range all {
		sum := new(big.Int)
		for _, m := range list {
			if unit == cycles && !enough(m.weight, list[0].weight, layout.WeightOne-hot) || unit != cycles && enough(sum, totals[unit], hot) {
				break
			}
			needed[m.name] = true
			sum.Add(sum, m.weight)
		}
	}
	for m := range s.Methods() {
		name := keyText(t, m)
		want := profiles(m) > 0 && (needed[name] || sampled[name])
		if _, stays := stay[name]; stays != want {
			t.Errorf("hot %s: %s of weight %s stays: %v, want %v", hot, name, weightOf(s, m), stays, want)
		}
	}
}
