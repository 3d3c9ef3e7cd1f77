package merge_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"pgregory.net/rapid"
)

func limitedTo(selection string) func(*builder.Config) {
	return func(c *builder.Config) { c.Run.Selection = selection }
}

func since(id [16]byte) func(*builder.Config) {
	return func(c *builder.Config) { c.Run.Since, c.Flags = id, layout.FlagDelta }
}

// A later dump of a process takes the place of an earlier one, in any order.
func TestLaterDumpSupersedes(t *testing.T) {
	early, late, other := testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 10}, 8722), testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 20}, 10_000), testarchive.ProcessDump(t, testarchive.Moment{PID: 2, Second: 15}, 1)
	for name, archives := range map[string][]testarchive.Archive{
		"early, late": {early, late, other}, "late, early": {other, late, early}, "thrice": {early, testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 15}, 9000), other, late},
	} {
		all, err := testarchive.MergeLatest(t, archives...)
		if err != nil || all.Invocations() != 10_001 {
			t.Errorf("%s: %v, %d invocations, want 10001", name, err, all.Invocations())
		}
		if runs, err := all.Runs(); err != nil || len(runs) != 2 || runs[1].DumpID != late.Header().DumpID {
			t.Errorf("%s: %d runs, %v", name, len(runs), err)
		}
	}
}

// A merged archive cannot give back what it has of an earlier dump.
func TestMergedDumpIsNotSuperseded(t *testing.T) {
	early, late, other := testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 10}, 8722), testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 20}, 10_000), testarchive.ProcessDump(t, testarchive.Moment{PID: 2, Second: 15}, 1)
	both, _ := testarchive.MergeLatest(t, early, other)
	for _, archives := range [][]testarchive.Archive{{both, late}, {late, both}} {
		_, err := testarchive.MergeLatest(t, archives...)
		if !errors.Is(err, merge.ErrSameProcess) || !strings.Contains(err.Error(), "was merged from in its place") {
			t.Errorf("error %v", err)
		}
	}
	b := testarchive.New(layout.DomainHotSpot)
	if err := errors.Join(merge.Into(t.Context(), b, both.Store, builder.Run{}), merge.Into(t.Context(), b, late.Store, builder.Run{})); !errors.Is(err, merge.ErrSameProcess) {
		t.Errorf("the builder takes both: %v", err)
	}
	// But as a whole it is superseded, and so is a dump that it has a later one of.
	if all, err := testarchive.MergeLatest(t, both, late, testarchive.ProcessDump(t, testarchive.Moment{PID: 2, Second: 30}, 5)); !errors.Is(err, merge.ErrSameProcess) {
		t.Errorf("two archives supersede one together: %v, %d", err, all.Invocations())
	}
	whole, _ := testarchive.MergeLatest(t, late, testarchive.ProcessDump(t, testarchive.Moment{PID: 2, Second: 30}, 5))
	for want, archives := range map[uint64][]testarchive.Archive{10_005: {both, whole}, 8723: {testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 5}, 1), both}} {
		if all, err := testarchive.MergeLatest(t, archives...); err != nil || all.Invocations() != want {
			t.Errorf("%v, %d invocations, want %d", err, all.Invocations(), want)
		}
	}
}

// Counts since a dump are not totals, and are added to them.
func TestDeltasAreNotSupersededByTotals(t *testing.T) {
	base, id := testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 10}, 100), [16]byte{1, 2}
	delta, more := testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 20}, 5, since(base.Header().DumpID)), testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 30}, 7, since(base.Header().DumpID))
	all, err := testarchive.MergeLatest(t, base, delta, more, testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 40}, 2000, since(id)))
	if err != nil || all.Invocations() != 2107 {
		t.Errorf("%v, %d invocations, want 100 + 7 + 2000", err, all.Invocations())
	}
}

// What was limited to some profiles takes the place of the same selection only.
func TestSelectionsOfAProcess(t *testing.T) {
	a, b, all := testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 10}, 1, limitedTo("--class a")), testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 20}, 2, limitedTo("--class b")), testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 30}, 3)
	if _, err := testarchive.MergeLatest(t, b, a); !errors.Is(err, merge.ErrSameProcess) || !strings.Contains(err.Error(), "without filters") {
		t.Errorf("error %v", err)
	}
	for want, archives := range map[uint64][]testarchive.Archive{3: {b, all, a}, 9: {a, testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 20}, 9, limitedTo("--class a"))}} {
		if got, err := testarchive.MergeLatest(t, archives...); err != nil || got.Invocations() != want {
			t.Errorf("%v, %d invocations, want %d", err, got.Invocations(), want)
		}
	}
}

// Whatever is merged first, a merge that is not refused gives the same bytes.
func TestSupersedingAlgebra(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var archives []testarchive.Archive
		drawn := rapid.SliceOfNDistinct(rapid.IntRange(0, 11), 3, 6, rapid.ID[int]).Draw(r, "dumps")
		last := map[int]int{}
		for _, d := range drawn {
			pid, second := d/4, d%4
			archives = append(archives, testarchive.ProcessDump(r, testarchive.Moment{PID: uint64(pid + 1), Second: int64(second + 1)}, 1<<d))
			last[pid] = max(last[pid], second)
		}
		want := uint64(0)
		for pid, second := range last {
			want += 1 << (4*pid + second)
		}
		all, err := testarchive.MergeLatest(r, archives...)
		if err != nil || all.Invocations() != want {
			r.Fatalf("%v, %d invocations, want %d", err, all.Invocations(), want)
		}
		other, err := testarchive.MergeLatest(r, rapid.Permutation(archives).Draw(r, "order")...)
		if err != nil || !bytes.Equal(all.Bytes, other.Bytes) {
			r.Fatalf("another order: %v", err)
		}
		cut := rapid.IntRange(1, len(archives)-1).Draw(r, "cut")
		left, err1 := testarchive.MergeLatest(r, archives[:cut]...)
		right, err2 := testarchive.MergeLatest(r, archives[cut:]...)
		if err := errors.Join(err1, err2); err != nil {
			r.Fatal(err)
		}
		switch both, err := testarchive.MergeLatest(r, left, right); {
		case errors.Is(err, merge.ErrSameProcess):
		case err != nil || !bytes.Equal(all.Bytes, both.Bytes):
			r.Fatalf("in groups: %v", err)
		}
	})
}
