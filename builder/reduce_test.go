package builder_test

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/dump"
	"github.com/profarc/profarc/internal/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/reduce"
)

func reduced(t testing.TB, s *reader.Store, r reduce.Options) (dumped, *reduce.Report) {
	t.Helper()
	b, report, err := reduce.Archive(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	return built(t, b), report
}

var sharedID = fmt.Sprintf(`,"flags":%d`, layout.MethodSharedID)

// methodLines are the methods of an archive that have profiles, as the dump
// prints them, by name; what another method's id decides is left out.
func methodLines(t testing.TB, s *reader.Store) map[string]string {
	lines := map[string]string{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		var line bytes.Buffer
		if err := dump.Method(&line, s, m); err != nil {
			t.Fatal(err)
		}
		if profiles(m) > 0 {
			lines[keyText(t, m)] = strings.Replace(line.String(), sharedID, "", 1)
		}
	}
	return lines
}

func profiles(m reader.Method) (n int) {
	for range m.Profiles() {
		n++
	}
	return n
}

func keyText(t testing.TB, m reader.Method) string {
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%q", k)
}

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
func weightsOf(t testing.TB, s *reader.Store) (all map[string][]weighedMethod, totals map[string]*big.Int) {
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

func eachSpecimen(t *testing.T, check func(t *testing.T, s dumped)) {
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) { check(t, built(t, sp.Build())) })
	}
}

// failing lets checks report to a rapid.T.
type failing struct{ fatal }

func (f failing) Errorf(format string, args ...any) { f.rapid.Errorf(format, args...) }
func (f failing) Fatalf(format string, args ...any) { f.rapid.Fatalf(format, args...) }

// checkHot checks that a reduction keeps the promised share, no method that is
// not needed for it, and what it keeps as it was.
func checkHot(t testing.TB, s *reader.Store, hot layout.Weight) {
	t.Helper()
	out, report := reduced(t, s, reduce.Options{Hot: hot})
	_, totals := weightsOf(t, s)
	_, sums := weightsOf(t, out.Store)
	for unit, total := range totals {
		sum := sums[unit]
		if sum == nil {
			sum = new(big.Int)
		}
		if unit != cycles && !enough(sum, total, hot) {
			t.Errorf("hot %s: %s of %s %s stay", hot, sum, total, unit)
		}
	}
	sampled := onStacks(t, out.Store) // these stay for free
	before, after := methodLines(t, s), methodLines(t, out.Store)
	for name, line := range after {
		if before[name] != line {
			t.Errorf("%s was %s, is %s", name, before[name], line)
		}
	}
	if !callsHot(s) {
		checkNeeded(t, s, after, sampled, hot)
	}
	for name := range after {
		delete(sampled, name)
	}
	if int(report.Methods) != len(after)+len(sampled) || report.Profiles != out.Header().Counts.Profiles || report.Entries != out.Header().Counts.Entries {
		t.Errorf("hot %s: the report says %+v of %d methods, the archive has %+v", hot, report, len(after), out.Header().Counts)
	}
}

var someShares = []layout.Weight{1, layout.WeightOne / 2, layout.WeightOne / 100 * 99, layout.WeightOne - 1, layout.WeightOne}

func TestFunctionsThatLLVMCallsHotStay(t *testing.T) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	for name, counts := range map[string][]uint64{"hot": {1<<64 - 1, 0}, "warm": {1<<64 - 2}, "counted": {1000}, "cold": {1}, "never": {0}} {
		if err := addFunction(b, builder.CounterFunction{Name: []byte(name), Code: 7, Counts: counts}); err != nil {
			t.Fatal(err)
		}
	}
	s := built(t, b)
	for _, r := range []reduce.Options{{Hot: layout.WeightOne / 2}, {DropCold: true}} {
		out, report := reduced(t, s.Store, r)
		for _, name := range []string{"hot", "warm", "counted"} {
			if _, err := out.Find(layout.Key{Name: name}); err != nil {
				t.Errorf("%+v: %s: %v", r, name, err)
			}
		}
		if _, err := out.Find(layout.Key{Name: "never"}); err == nil {
			t.Errorf("%+v: a function that never ran stays", r)
		}
		if share := report.Share(); share < 0.99 {
			t.Errorf("%+v: a share of %v", r, share)
		}
	}
}

func TestHotMethodsOfEveryDomainStay(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s dumped) {
		for _, hot := range someShares {
			checkHot(t, s.Store, hot)
		}
	})
}

func TestHotMethodsOfRandomArchivesStay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := failing{fatal{rapid: rt}}
		checkHot(f, openBytes(t, build(t, drawSteps(rt), 1, 1)), layout.Weight(rapid.Uint64Range(1, uint64(layout.WeightOne)).Draw(rt, "share")))
		domain := rapid.SampledFrom(mergedDomains).Draw(rt, "domain")
		checkHot(f, drawRun(rt, domain, "run", true).Store, rapid.SampledFrom(someShares).Draw(rt, "some share"))
	})
}

func TestReductionToEverythingIsTheCopy(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s dumped) {
		out, report := reduced(t, s.Store, reduce.Options{})
		if report.Share() != 1 || report.Methods != s.Header().Counts.Methods {
			t.Errorf("of %+v stays %+v", s.Header().Counts, report)
		}
		same, want := bytes.Equal(out.bytes, s.bytes), len(report.Rows) == 0
		if same != want {
			t.Errorf("the same bytes: %v, want %v: %v", same, want, report.Rows)
		}
	})
}
