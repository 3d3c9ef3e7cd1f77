package merge_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// TestTwoDumpsOfAProcessAreCountedOnce: this process counts 10 calls on top of 100, dumps them,
// counts 10 more, and dumps again. The description says no more than that there was a run.
func TestTwoDumpsOfAProcessAreCountedOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says which process this is")
	}
	for _, describeFirst := range []bool{true, false} {
		s := adoptedStore(t)
		dump := func() testarchive.Archive {
			p, err := profileOf(t, s, "counted").Claim()
			if err != nil {
				t.Fatal(err)
			}
			invocations, _ := p.Invocations()
			if err := invocations.Add(10); err != nil {
				t.Fatal(err)
			}
			b := builder.New(s.Header().Domain, builder.Config{Params: s.Header().Params})
			if describeFirst {
				b.Internal().DescribeRun(layout.Provenance{VM: "test"})
			}
			if _, err := merge.Snapshot(t.Context(), b, s, merge.Increments); err != nil {
				t.Fatal(err)
			}
			if !describeFirst {
				b.Internal().DescribeRun(layout.Provenance{VM: "test"})
			}
			return testarchive.Build(t, b)
		}
		all := []testarchive.Archive{{Store: s}, dump(), dump()}
		for _, a := range all[1:] {
			runs, err := a.Runs()
			if err != nil || len(runs) != 1 || runs[0].Since != s.Header().DumpID || !runs[0].Process.Known() {
				t.Fatalf("runs %+v, %v", runs, err)
			}
		}
		by, err := merge.Superseded(all[0].Store, all[1].Store, all[2].Store)
		if err != nil || !slices.Equal(by, []int{-1, 2, -1}) {
			t.Fatalf("superseded by %v, %v, want the first dump by the second", by, err)
		}
		b := testarchive.New(layout.DomainHotSpot)
		for _, i := range []int{0, 2} {
			if err := merge.Into(t.Context(), b, all[i].Store, merge.Run{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := merge.Into(t.Context(), b, all[1].Store, merge.Run{}); !errors.Is(err, merge.ErrSameProcess) {
			t.Errorf("the first dump on top of the second: %v", err)
		}
		if n, _ := profileOf(t, testarchive.Build(t, b).Store, "counted").Invocations(); n.Load() != 120 {
			t.Errorf("%d calls, want 120", n.Load())
		}
	}
}
