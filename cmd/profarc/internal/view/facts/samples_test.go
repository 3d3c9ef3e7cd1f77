package facts

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/internal/testkit/testprofile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// tallyStacks sums samples stack by stack.
func tallyStacks(t *testing.T, s *reader.Store, unit SampleUnit) *SampleTally {
	t.Helper()
	tally := &SampleTally{Unit: unit, methods: map[layout.Ref]*StackCounts{}, lines: map[sampledPoint]*StackCounts{},
		calls: map[sampledCall]*StackCounts{}}
	for stack, err := range stacks.Sampled(s) {
		if err != nil {
			t.Fatal(err)
		}
		tally.addStack(stack)
	}
	for _, n := range tally.methods {
		n.seen = 0
	}
	for _, n := range tally.lines {
		n.seen = 0
	}
	for _, n := range tally.calls {
		n.seen = 0
	}
	return tally
}

// TestSamplesAreThoseOfAllStacks: samples are summed by contexts as stack by stack, of methods, lines and calls.
func TestSamplesAreThoseOfAllStacks(t *testing.T) {
	stores := []*reader.Store{chain(t, 100)}
	for _, sp := range specimen.All() {
		stores = append(stores, memstore.Open(t, sp.Build()))
	}
	for seed := range uint64(60) {
		s, _ := testprofile.Import(t, testprofile.Encode(t, testprofile.Random(seed)))
		stores = append(stores, s)
	}
	recursive := 0
	for i, s := range stores {
		if s.Header().Domain != layout.DomainSampled {
			continue // its stacks are rows of a table, and are summed one by one
		}
		for _, unit := range []SampleUnit{Nanoseconds, Samples} {
			want := tallyStacks(t, s, unit)
			want.groupByMethod()
			got, err := TallyLines(s, unit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(SampleTally{}, StackCounts{}, sampledPoint{},
				sampledCall{})); diff != "" {
				t.Errorf("archive %d, %s: %s", i, unit, diff)
			}
		}
		want := tallyStacks(t, s, Samples)
		got, err := TallySamples(s, Samples)
		if err != nil {
			t.Fatal(err)
		}
		want.lines, want.calls = nil, nil
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(SampleTally{}, StackCounts{})); diff != "" {
			t.Errorf("archive %d: %s", i, diff)
		}
		if n, samples, err := CountSamples(s); n != want.Stacks || samples != want.Sum || err != nil {
			t.Errorf("archive %d: %d stacks of %d samples, want %d of %d; %v", i, n, samples, want.Stacks, want.Sum, err)
		}
		for _, m := range want.methods {
			if m.Total > m.Self && m.Self > 0 {
				recursive++
			}
		}
	}
	if recursive == 0 {
		t.Error("no function was both a leaf and a caller")
	}
}

// chain returns an archive of a function that called itself, with a sample at each depth.
func chain(t *testing.T, deepest int) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainSampled, builder.Config{})
	leaf, caller := b.Method(layout.Key{Name: "leaf"}), b.Method(layout.Key{Name: "caller"})
	for at, depth := profileset.NoContext, 0; depth < deepest; depth++ {
		p := b.ProfileIn(leaf, 0, at)
		p.Count(builder.Count{Point: 1, Sub: layout.SubSamples, N: 1})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		at = b.Internal().OuterContext(leaf, at, caller, int32(depth))
	}
	return memstore.Open(t, b)
}

// TestListsOfAllFunctionsTakeLinearWork lists the calls and lines of each function of a star: a leaf with many callers.
func TestListsOfAllFunctionsTakeLinearWork(t *testing.T) {
	const callers = 2000
	b := builder.New(layout.DomainSampled, builder.Config{})
	leaf := b.Method(layout.Key{Name: "leaf"})
	for i := range callers {
		caller := b.Method(layout.Key{Name: fmt.Sprint("caller", i)})
		p := b.ProfileIn(leaf, 0, b.Internal().OuterContext(leaf, profileset.NoContext, caller, 1))
		p.Count(builder.Count{Point: 1, Sub: layout.SubSamples, N: 1})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	s := memstore.Open(t, b)
	tally, err := TallyLines(s, Samples)
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	work := testing.AllocsPerRun(1, func() {
		listed = 0
		for m := range s.Methods() {
			callers, callees := tally.CallsOf(m)
			listed += len(callers) + len(callees) + len(tally.LinesOf(m))
		}
	})
	if listed != 3*callers+1 {
		t.Errorf("%d callers, callees and lines, want %d", listed, 3*callers+1)
	}
	if work > callers/10 {
		t.Errorf("%.0f allocations to list them: the lists are made for each function", work)
	}
}

// TestDeepStacksAreCountedInLinearSpace: an archive of a chain of callers, with a sample in
// each, has as many frames as the square of its length. To make them all would take some
// hundred bytes for each byte of the archive.
func TestDeepStacksAreCountedInLinearSpace(t *testing.T) {
	s := chain(t, 8000)
	for what, count := range map[string]func() error{
		"tally": func() error { _, err := TallySamples(s, Samples); return err },
		"count": func() error { _, _, err := CountSamples(s); return err },
	} {
		t.Run(what, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := count()
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; err != nil || used > uint64(10*s.Header().FileSize) {
				t.Errorf("%s: allocated %d bytes for an archive of %d; %v", what, used, s.Header().FileSize, err)
			}
		})
	}
}

// TestSharesOfSaturatedSamples: stacks whose total saturates have shares of their true sum.
func TestSharesOfSaturatedSamples(t *testing.T) {
	t.Parallel()
	s, _ := testprofile.Import(t, fmt.Appendf(nil, "main;a %d\nmain;b %[1]d\n", uint64(math.MaxUint64/3*2)))
	r, err := MostSampled(t.Context(), s, Samples, analyze.RankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Methods {
		if m.Self > 0 && m.SelfShare != 0.5 {
			t.Errorf("%s has a share of %v", m.Display, m.SelfShare)
		}
	}
}
