package builder_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// processDump is an archive of a process at a second: it has counted n calls.
func processDump(t testing.TB, pid uint64, second int64, n uint64, change ...func(*builder.Config)) dumped {
	t.Helper()
	c := builder.Config{
		Params: mergeParams(layout.DomainHotSpot), DumpTime: time.Unix(second, 0),
		Run: &layout.Provenance{Process: layout.Process{Boot: [16]byte{7}, PID: pid, Start: 99}, Main: "Main"},
	}
	for _, f := range change {
		f(&c)
	}
	b := builder.New(layout.DomainHotSpot, c)
	p := b.Profile(b.Method(layout.Key{Class: "A", Name: "m"}), 0, builder.NoContext)
	p.Invocations(n)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	return built(t, b)
}

func limitedTo(selection string) func(*builder.Config) {
	return func(c *builder.Config) { c.Run.Selection = selection }
}

func since(id [16]byte) func(*builder.Config) {
	return func(c *builder.Config) { c.Run.Since, c.Flags = id, layout.FlagDelta }
}

// mergeLatest merges what is not superseded.
func mergeLatest(t testing.TB, archives ...dumped) (dumped, error) {
	t.Helper()
	var contents []merge.Contents
	for _, a := range archives {
		c, err := merge.ContentsOf(a.Store)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, c)
	}
	by, err := merge.Superseded(contents)
	if err != nil {
		return dumped{}, err
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: mergeParams(layout.DomainHotSpot)})
	for i, a := range archives {
		if by[i] < 0 {
			if err := merge.Into(t.Context(), b, a.Store, builder.Run{}); err != nil {
				return dumped{}, err
			}
		}
	}
	return built(t, b), nil
}

func invocations(s dumped) uint64 { return s.Header().Summary.TotalInvocations }

// A later dump of a process takes the place of an earlier one, in any order.
func TestLaterDumpSupersedes(t *testing.T) {
	early, late, other := processDump(t, 1, 10, 8722), processDump(t, 1, 20, 10_000), processDump(t, 2, 15, 1)
	for name, archives := range map[string][]dumped{
		"early, late": {early, late, other}, "late, early": {other, late, early}, "thrice": {early, processDump(t, 1, 15, 9000), other, late},
	} {
		all, err := mergeLatest(t, archives...)
		if err != nil || invocations(all) != 10_001 {
			t.Errorf("%s: %v, %d invocations, want 10001", name, err, invocations(all))
		}
		if runs, err := all.Runs(); err != nil || len(runs) != 2 || runs[1].DumpID != late.Header().DumpID {
			t.Errorf("%s: %d runs, %v", name, len(runs), err)
		}
	}
}

// A merged archive cannot give back what it has of an earlier dump.
func TestMergedDumpIsNotSuperseded(t *testing.T) {
	early, late, other := processDump(t, 1, 10, 8722), processDump(t, 1, 20, 10_000), processDump(t, 2, 15, 1)
	both, _ := mergeLatest(t, early, other)
	for _, archives := range [][]dumped{{both, late}, {late, both}} {
		_, err := mergeLatest(t, archives...)
		if !errors.Is(err, merge.ErrSameProcess) || !strings.Contains(err.Error(), "was merged from in its place") {
			t.Errorf("error %v", err)
		}
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: mergeParams(layout.DomainHotSpot)})
	if err := errors.Join(merge.Into(t.Context(), b, both.Store, builder.Run{}), merge.Into(t.Context(), b, late.Store, builder.Run{})); !errors.Is(err, merge.ErrSameProcess) {
		t.Errorf("the builder takes both: %v", err)
	}
	// But as a whole it is superseded, and so is a dump that it has a later one of.
	if all, err := mergeLatest(t, both, late, processDump(t, 2, 30, 5)); !errors.Is(err, merge.ErrSameProcess) {
		t.Errorf("two archives supersede one together: %v, %d", err, invocations(all))
	}
	whole, _ := mergeLatest(t, late, processDump(t, 2, 30, 5))
	for want, archives := range map[uint64][]dumped{10_005: {both, whole}, 8723: {processDump(t, 1, 5, 1), both}} {
		if all, err := mergeLatest(t, archives...); err != nil || invocations(all) != want {
			t.Errorf("%v, %d invocations, want %d", err, invocations(all), want)
		}
	}
}

// Counts since a dump are not totals, and are added to them.
func TestDeltasAreNotSupersededByTotals(t *testing.T) {
	base, id := processDump(t, 1, 10, 100), [16]byte{1, 2}
	delta, more := processDump(t, 1, 20, 5, since(base.Header().DumpID)), processDump(t, 1, 30, 7, since(base.Header().DumpID))
	all, err := mergeLatest(t, base, delta, more, processDump(t, 1, 40, 2000, since(id)))
	if err != nil || invocations(all) != 2107 {
		t.Errorf("%v, %d invocations, want 100 + 7 + 2000", err, invocations(all))
	}
}

// What was limited to some profiles takes the place of the same selection only.
func TestSelectionsOfAProcess(t *testing.T) {
	a, b, all := processDump(t, 1, 10, 1, limitedTo("--class a")), processDump(t, 1, 20, 2, limitedTo("--class b")), processDump(t, 1, 30, 3)
	if _, err := mergeLatest(t, b, a); !errors.Is(err, merge.ErrSameProcess) || !strings.Contains(err.Error(), "without filters") {
		t.Errorf("error %v", err)
	}
	for want, archives := range map[uint64][]dumped{3: {b, all, a}, 9: {a, processDump(t, 1, 20, 9, limitedTo("--class a"))}} {
		if got, err := mergeLatest(t, archives...); err != nil || invocations(got) != want {
			t.Errorf("%v, %d invocations, want %d", err, invocations(got), want)
		}
	}
}

// Whatever is merged first, a merge that is not refused gives the same bytes.
func TestSupersedingAlgebra(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := fatal{rapid: r}
		var archives []dumped
		drawn := rapid.SliceOfNDistinct(rapid.IntRange(0, 11), 3, 6, rapid.ID[int]).Draw(r, "dumps")
		last := map[int]int{}
		for _, d := range drawn {
			pid, second := d/4, d%4
			archives = append(archives, processDump(f, uint64(pid+1), int64(second+1), 1<<d))
			last[pid] = max(last[pid], second)
		}
		want := uint64(0)
		for pid, second := range last {
			want += 1 << (4*pid + second)
		}
		all, err := mergeLatest(f, archives...)
		if err != nil || invocations(all) != want {
			r.Fatalf("%v, %d invocations, want %d", err, invocations(all), want)
		}
		other, err := mergeLatest(f, rapid.Permutation(archives).Draw(r, "order")...)
		if err != nil || !bytes.Equal(all.bytes, other.bytes) {
			r.Fatalf("another order: %v", err)
		}
		cut := rapid.IntRange(1, len(archives)-1).Draw(r, "cut")
		left, err1 := mergeLatest(f, archives[:cut]...)
		right, err2 := mergeLatest(f, archives[cut:]...)
		if err := errors.Join(err1, err2); err != nil {
			r.Fatal(err)
		}
		switch both, err := mergeLatest(f, left, right); {
		case errors.Is(err, merge.ErrSameProcess):
		case err != nil || !bytes.Equal(all.bytes, both.bytes):
			r.Fatalf("in groups: %v", err)
		}
	})
}

// What describes a run needs an identity of the dump, which is one of its own
// for each dump of a process.
func TestIdentityOfADump(t *testing.T) {
	x, y := processDump(t, 1, 10, 1), processDump(t, 1, 11, 1)
	if x.Header().DumpID == y.Header().DumpID || x.Header().DumpID != processDump(t, 1, 10, 2).Header().DumpID {
		t.Error("a dump of a process is identified by its time")
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Run: &layout.Provenance{Main: "Main"}})
	if b.Err() == nil || !strings.Contains(b.Err().Error(), "RandomDumpID") {
		t.Errorf("error %v", b.Err())
	}
	if first, second := builder.RandomDumpID(), builder.RandomDumpID(); first == second {
		t.Error("two random identities are one")
	}
}
