package merge_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// processDump returns the archive of a process that has counted n invocations at a second.
func processDump(t testarchive.TB, pid uint64, second int64, n uint64,
	change ...func(*builder.Config)) testarchive.Archive {
	t.Helper()
	config := testarchive.Config(layout.DomainHotSpot)
	config.DumpTime = time.Unix(second, 0)
	config.Run = &layout.Provenance{Process: layout.Process{Boot: [16]byte{7}, PID: pid, Start: 99}, Main: "Main"}
	for _, f := range change {
		f(&config)
	}
	b := builder.New(layout.DomainHotSpot, config)
	p := b.Profile(layout.Key{Class: "A", Name: "m"}, 0)
	p.Invocations(n)
	testarchive.MustDone(t, p)
	return testarchive.Build(t, b)
}

// limitedTo makes a dump one of selected profiles.
func limitedTo(selection string) func(*builder.Config) {
	return func(c *builder.Config) { c.Run.Selection = selection }
}

// since makes a dump one of what was counted since another.
func since(id [16]byte) func(*builder.Config) {
	return func(c *builder.Config) { c.Run.Since, c.Flags = id, disk.FlagDelta }
}

// mergeLatest merges the archives that are not superseded by another one.
func mergeLatest(t testarchive.TB, archives ...testarchive.Archive) (testarchive.Archive, error) {
	t.Helper()
	stores := make([]*reader.Store, len(archives))
	for i, a := range archives {
		stores[i] = a.Store
	}
	by, err := merge.Superseded(stores...)
	if err != nil {
		return testarchive.Archive{}, err
	}
	b := testarchive.New(layout.DomainHotSpot)
	for i, a := range archives {
		if by[i] < 0 {
			if err := merge.Into(t.Context(), b, a.Store, merge.Run{}); err != nil {
				return testarchive.Archive{}, err
			}
		}
	}
	return testarchive.Build(t, b), nil
}

// checkLatest merges the archives that no other one supersedes, checks the sum of
// their invocations, and returns the result.
func checkLatest(t testarchive.TB, want uint64, archives ...testarchive.Archive) testarchive.Archive {
	t.Helper()
	all, err := mergeLatest(t, archives...)
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Invocations(); got != want {
		t.Errorf("%d invocations, want %d", got, want)
	}
	return all
}

// checkSameProcess checks that archives cannot be merged, and what the error says.
func checkSameProcess(t testarchive.TB, says string, archives ...testarchive.Archive) {
	t.Helper()
	_, err := mergeLatest(t, archives...)
	if !errors.Is(err, merge.ErrSameProcess) {
		t.Fatalf("error %v, want ErrSameProcess", err)
	}
	if !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want one with %q", err, says)
	}
}

// TestLaterDumpSupersedes: a later dump of a process replaces an earlier one, in any order.
func TestLaterDumpSupersedes(t *testing.T) {
	t.Parallel()
	early, late, other := processDump(t, 1, 10, 8722), processDump(t, 1, 20, 10_000), processDump(t, 2, 15, 1)
	for name, archives := range map[string][]testarchive.Archive{
		"early, late":  {early, late, other},
		"late, early":  {other, late, early},
		"three of one": {early, processDump(t, 1, 15, 9000), other, late},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs, err := checkLatest(t, 10_001, archives...).Runs()
			if err != nil {
				t.Fatal(err)
			}
			if len(runs) != 2 {
				t.Fatalf("%d runs, want 2", len(runs))
			}
			if got, want := runs[1].DumpID, late.Header().DumpID; got != want {
				t.Errorf("the last dump is %x, want %x", got, want)
			}
		})
	}
}

// TestMergedDumpIsNotSuperseded: the counts of an earlier dump cannot be taken out of a merged archive.
func TestMergedDumpIsNotSuperseded(t *testing.T) {
	t.Parallel()
	early, late, other := processDump(t, 1, 10, 8722), processDump(t, 1, 20, 10_000), processDump(t, 2, 15, 1)
	both, _ := mergeLatest(t, early, other)
	checkSameProcess(t, "was merged from in its place", both, late)
	checkSameProcess(t, "was merged from in its place", late, both)
	b := testarchive.New(layout.DomainHotSpot)
	mustMerge(t, b, both, merge.Run{})
	if err := merge.Into(t.Context(), b, late.Store, merge.Run{}); !errors.Is(err, merge.ErrSameProcess) {
		t.Errorf("two dumps of a process in one builder: error %v, want ErrSameProcess", err)
	}
	// Two archives do not supersede one together; one that has later dumps of all does.
	checkSameProcess(t, "", both, late, processDump(t, 2, 30, 5))
	whole, _ := mergeLatest(t, late, processDump(t, 2, 30, 5))
	checkLatest(t, 10_005, both, whole)
	checkLatest(t, 8723, processDump(t, 1, 5, 1), both)
}

// TestDeltasAreNotSupersededByTotals: counts since a dump are added to its totals.
func TestDeltasAreNotSupersededByTotals(t *testing.T) {
	t.Parallel()
	base, id := processDump(t, 1, 10, 100), [16]byte{1, 2}
	delta, more := processDump(t, 1, 20, 5, since(base.Header().DumpID)),
		processDump(t, 1, 30, 7, since(base.Header().DumpID))
	checkLatest(t, 100+7+2000, base, delta, more, processDump(t, 1, 40, 2000, since(id)))
}

// TestSelectionsOfAProcess: a dump of selected profiles supersedes dumps of the same selection only.
func TestSelectionsOfAProcess(t *testing.T) {
	t.Parallel()
	a, b, all := processDump(t, 1, 10, 1, limitedTo("--class a")), processDump(t, 1, 20, 2, limitedTo("--class b")),
		processDump(t, 1, 30, 3)
	checkSameProcess(t, "without filters", b, a)
	checkLatest(t, 3, b, all, a)
	checkLatest(t, 9, a, processDump(t, 1, 20, 9, limitedTo("--class a")))
}

// TestSupersedingAlgebra: a merge that is possible makes the same bytes in any order.
func TestSupersedingAlgebra(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var archives []testarchive.Archive
		drawn := rapid.SliceOfNDistinct(rapid.IntRange(0, 11), 3, 6, rapid.ID[int]).Draw(r, "dumps")
		last := map[int]int{}
		for _, d := range drawn {
			pid, second := d/4, d%4
			archives = append(archives, processDump(r, uint64(pid+1), int64(second+1), 1<<d))
			last[pid] = max(last[pid], second)
		}
		want := uint64(0)
		for pid, second := range last {
			want += 1 << (4*pid + second)
		}
		all := checkLatest(r, want, archives...)
		other, err := mergeLatest(r, rapid.Permutation(archives).Draw(r, "order")...)
		if err != nil {
			r.Fatal(err)
		}
		checkSame(r, "another order", all, other)
		cut := rapid.IntRange(1, len(archives)-1).Draw(r, "cut")
		left, err1 := mergeLatest(r, archives[:cut]...)
		right, err2 := mergeLatest(r, archives[cut:]...)
		if err := errors.Join(err1, err2); err != nil {
			r.Fatal(err)
		}
		switch both, err := mergeLatest(r, left, right); {
		case errors.Is(err, merge.ErrSameProcess):
		case err != nil:
			r.Fatal(err)
		default:
			checkSame(r, "a merge in groups", all, both)
		}
	})
}
