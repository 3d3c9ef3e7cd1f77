package reduce_test

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// reduced returns a reduction of an archive.
func reduced(t testarchive.TB, s *reader.Store, r reduce.Options) (testarchive.Archive, *reduce.Report) {
	t.Helper()
	b, report, err := reduce.Archive(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b), report
}

// methodLines returns the lines of the methods of an archive that have profiles, by name.
func methodLines(t testarchive.TB, s *reader.Store) map[string]string {
	lines := map[string]string{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		if numProfiles(m) > 0 {
			lines[keyText(t, m)] = methodLine(t, m)
		}
	}
	return lines
}

// methodLine returns the JSON of a method without the flag that depends on other methods of its archive.
func methodLine(t testarchive.TB, m reader.Method) string {
	var line bytes.Buffer
	if err := jsondump.WriteMethod(&line, m.Store(), m); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(line.String(), fmt.Sprintf(`,"flags":%d`, disk.MethodSharedID), "", 1)
}

// numProfiles returns the number of profiles of a method.
func numProfiles(m reader.Method) (n int) {
	for range m.Profiles() {
		n++
	}
	return n
}

// keyText returns the key of a method as text.
func keyText(t testarchive.TB, m reader.Method) string {
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%q", k)
}

// checkHot checks that a reduction keeps the share that was asked for, no method that
// is not needed for it, and the methods that stay as they were.
func checkHot(t testarchive.TB, s *reader.Store, hot layout.Weight) {
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
	sampled := onStacks(t, out.Store) // these stay whatever they counted
	before, after := methodLines(t, s), methodLines(t, out.Store)
	for name, line := range after {
		if before[name] != line {
			t.Errorf("%s changed from %s to %s", name, before[name], line)
		}
	}
	if !hasMarks(s) {
		checkNeeded(t, s, after, sampled, hot)
	}
	for name := range after {
		delete(sampled, name)
	}
	want := out.Header().Counts
	if methods := len(after) + len(sampled); int(report.Methods) != methods {
		t.Errorf("hot %s: the report says %d methods, %d stay", hot, report.Methods, methods)
	}
	if report.Profiles != want.Profiles || report.Entries != want.Entries {
		t.Errorf("hot %s: the report says %d profiles and %d entries, the archive has %d and %d",
			hot, report.Profiles, report.Entries, want.Profiles, want.Entries)
	}
}

// someShares are parts of all counts to reduce archives to.
var someShares = []layout.Weight{1, layout.WeightOne / 2, layout.WeightOne / 100 * 99, layout.WeightOne - 1,
	layout.WeightOne}

func TestFunctionsMarkedHotStay(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainLLVMIR, builder.Config{})
	for name, counts := range map[string][]uint64{"hot": {1<<64 - 1, 0}, "warm": {1<<64 - 2}, "counted": {1000},
		"cold": {1}, "never": {0}} {
		f := profileset.Function{Name: []byte(name), Code: 7, Cells: words.LittleEndianBytes(counts)}
		if _, err := b.Internal().AddFunctions([]profileset.Function{f}); err != nil {
			t.Fatal(err)
		}
	}
	s := testarchive.Build(t, b)
	for _, r := range []reduce.Options{{Hot: layout.WeightOne / 2}, {DropCold: true}} {
		out, report := reduced(t, s.Store, r)
		for _, name := range []string{"hot", "warm", "counted"} {
			if _, err := out.Find(layout.Key{Name: name}); err != nil {
				t.Errorf("%+v: %s: %v", r, name, err)
			}
		}
		if _, err := out.Find(layout.Key{Name: "never"}); err == nil {
			t.Errorf("%+v: an unexecuted function stays", r)
		}
		if share := report.Share; share < 0.99 {
			t.Errorf("%+v: a share of %v", r, share)
		}
	}
}

func TestHotMethodsOfEveryDomainStay(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		for _, hot := range someShares {
			checkHot(t, s.Store, hot)
		}
	})
}

func TestHotMethodsOfRandomArchivesStay(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		drawn := testarchive.DrawRun(rt, layout.DomainHotSpot, "drawn")
		checkHot(rt, drawn.Store, layout.Weight(rapid.Uint64Range(1, uint64(layout.WeightOne)).Draw(rt, "share")))
		domain := rapid.SampledFrom(testarchive.Domains).Draw(rt, "domain")
		checkHot(rt, testarchive.DrawHighRun(rt, domain, "run").Store, rapid.SampledFrom(someShares).Draw(rt, "some share"))
	})
}

func TestReductionToEverythingIsTheCopy(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		out, report := reduced(t, s.Store, reduce.Options{})
		if share := report.Share; share != 1 {
			t.Errorf("a share of %v stays, want all", share)
		}
		if report.Methods != s.Header().Counts.Methods {
			t.Errorf("%d of %d methods stay", report.Methods, s.Header().Counts.Methods)
		}
		same, want := bytes.Equal(out.Bytes, s.Bytes), len(report.Rows) == 0
		if same != want {
			t.Errorf("the same bytes: %v, want %v: %v", same, want, report.Rows)
		}
	})
}

// TestUnitsAreNotSummedTogether: cycles are a thousand times as many as bytecodes, and
// main's include the cycles of all that it calls.
func TestUnitsAreNotSummedTogether(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainJamaica, builder.Config{})
	for name, counts := range map[string]map[layout.Sub]uint64{
		"main()V":  {layout.SubCycles: 1000000},
		"run()V":   {layout.SubCycles: 990000, layout.SubBytecodes: 10},
		"put(B)V":  {layout.SubCycles: 4000, layout.SubBytecodes: 900},
		"get()B":   {layout.SubCycles: 9999, layout.SubBytecodes: 90},
		"idle()V":  {layout.SubCycles: 100},
		"hash()I":  {layout.SubNativeCalls: 7},
		"never()V": {layout.SubBytecodes: 0},
	} {
		p := b.Profile(layout.Key{Name: name}, 0)
		for sub, n := range counts {
			p.Count(builder.Count{Sub: sub, N: n})
		}
		testarchive.MustDone(t, p)
	}
	s := testarchive.Build(t, b)
	for hot, stay := range map[layout.Weight]string{
		layout.WeightOne / 100 * 50: "main run put hash",
		// put and get have 99% of the bytecodes, main and run 1% of the cycles each
		layout.WeightOne / 100 * 99: "main run put get hash",
		layout.WeightOne:            "main run put get hash idle",
	} {
		out, report := reduced(t, s.Store, reduce.Options{Hot: hot})
		for _, name := range []string{"main()V", "run()V", "put(B)V", "get()B", "idle()V", "hash()I", "never()V"} {
			_, err := out.Find(layout.Key{Name: name})
			if want := slices.Contains(strings.Fields(stay), name[:strings.IndexByte(name, '(')]); (err == nil) != want {
				t.Errorf("hot %s: %s: %v, want it to stay: %v", hot, name, err, want)
			}
		}
		if share, ok := report.ShareOf(disk.UnitBytecodes); !ok || share < float64(hot)/float64(layout.WeightOne) {
			t.Errorf("hot %s: a share of %v of the bytecodes, %v", hot, share, ok)
		}
		if share, ok := report.ShareOf(disk.UnitCycles); ok {
			t.Errorf("hot %s: a share of %v of the cycles, which cannot be added up", hot, share)
		}
	}
	weights, err := weigh.Methods(t.Context(), s.Store)
	if err != nil {
		t.Fatal(err)
	}
	if n, least := weights.Needed(disk.UnitCycles, layout.WeightOne/100*99); n != 2 || least != 990000 {
		t.Errorf("%d methods have 1%% of the cycles, the last %d", n, least)
	}
	if n, least := weights.Needed(disk.UnitBytecodes, layout.WeightOne/100*90); n != 1 || least != 900 {
		t.Errorf("%d methods have 90%% of the bytecodes, the last %d", n, least)
	}
	if n := weights.Kept(layout.WeightOne / 100 * 50); n != 4 || weights.Methods() != 6 {
		t.Errorf("%d methods are kept of %d", n, weights.Methods())
	}
}
