package facts

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

func TestPollutionHasLimits(t *testing.T) {
	counts := func(counts ...uint64) map[outcomeID]uint64 {
		seen := map[outcomeID]uint64{}
		for i, n := range counts {
			seen[outcomeID{id: uint64(i)}] = n
		}
		return seen
	}
	for _, c := range []struct {
		kind analyze.Site
		t    siteTally
		want bool
	}{
		{analyze.SiteReceivers, siteTally{seen: counts(50, 50)}, false}, // two can be tested for
		{analyze.SiteReceivers, siteTally{seen: counts(50, 50), other: 1}, true},
		{analyze.SiteReceivers, siteTally{seen: counts(50, 50, 0)}, false},
		{analyze.SiteReceivers, siteTally{seen: counts(89, 6, 5)}, true},
		{analyze.SiteReceivers, siteTally{seen: counts(90, 5, 5)}, false},
		{analyze.SiteReceivers, siteTally{other: 100}, false}, // types were not recorded
		{analyze.SiteReceivers, siteTally{seen: counts(50, 50), untyped: 100}, false},
		{analyze.SiteTargets, siteTally{seen: counts(1<<63, 1<<63, 1<<63)}, true},
		{analyze.SiteChecked, siteTally{seen: counts(1, 1, 1)}, true},
		{analyze.SiteBranch, siteTally{seen: counts(59, 41)}, true},
		{analyze.SiteBranch, siteTally{seen: counts(60, 40)}, false},
		{analyze.SiteBranch, siteTally{seen: counts(40, 60)}, false},
		{analyze.SiteBranch, siteTally{seen: counts(0, 60)}, false},
		{analyze.SiteBranch, siteTally{seen: counts(1, 1, 1)}, false}, // a switch
		{analyze.SiteBranch, siteTally{seen: counts(0, 0)}, false},
		{analyze.SiteNull, siteTally{other: 5, null: true}, true},
		{analyze.SiteNull, siteTally{other: 5}, false},
	} {
		if got := c.t.isPolluted(c.kind); got != c.want {
			t.Errorf("%s %+v: %v, want %v", c.kind, c.t, got, c.want)
		}
	}
}

// A rowOf is so many receivers of one type.
type rowOf struct {
	name  string
	count uint64
}

// called adds a profile of a method that a caller calls; without one the profile holds for every caller.
func called(t *testing.T, b *builder.Builder, name, caller string, fill func(p *builder.Profile)) {
	t.Helper()
	m, c := b.Method(layout.Key{Class: "A", Name: name}), profileset.NoContext
	if caller != "" {
		c = b.Context(m, builder.Frame{Caller: b.Method(layout.Key{Class: "A", Name: caller}), Point: 3})
	}
	p := b.ProfileIn(m, 0, c)
	fill(p)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
}

func TestContextsTellWhetherASplitHelps(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	receivers := func(sub layout.Sub, flags layout.EntryFlags, rows ...rowOf) func(*builder.Profile) {
		var all []builder.Row
		for _, r := range rows {
			all = append(all, builder.Row{Type: b.Type(builder.TypeKey{Name: r.name}), Count: r.count})
		}
		return func(p *builder.Profile) { p.Receivers(builder.Receivers{Point: 7, Sub: sub, Flags: flags}, all...) }
	}
	branch := func(x, y uint64) func(*builder.Profile) {
		return func(p *builder.Profile) {
			p.Successors(9, layout.SubConditional, builder.Successor{Point: 12, Count: x},
				builder.Successor{Point: 20, Index: 1, Count: y})
		}
	}
	for i, caller := range []string{"f", "g", "h"} {
		t.Run(caller, func(t *testing.T) {
			called(t, b, "cured", caller, receivers(layout.SubVirtualCall, 0, rowOf{fmt.Sprint("T", i), 100}))
			called(t, b, "hopeless", caller, branch(11, 10))
		})
	}
	called(t, b, "half", "f", branch(0, 300))
	called(t, b, "half", "g", branch(300, 0))
	called(t, b, "half", "h", branch(100, 100))
	called(t, b, "single", "f", branch(12, 11))
	called(t, b, "single2", "", branch(13, 11))
	called(t, b, "checked", "f", receivers(layout.SubTypeCheck, layout.EntryNullSeen, rowOf{"T0", 30}))
	called(t, b, "checked", "g", receivers(layout.SubTypeCheck, 0, rowOf{"T0", 10}))
	called(t, b, "fine", "f", branch(99, 1))

	r, err := MostPolluted(context.Background(), memstore.Open(t, b), analyze.RankOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		name  string
		kind  analyze.Site
		count uint64
		Split Split
		cured float64
	}
	var got []found
	for _, s := range r.Sites {
		got = append(got, found{s.Name, s.Kind, s.Count, s.Split, s.Cured})
	}
	want := []found{
		{"half", analyze.SiteBranch, 800, SplitPartly, 0.75},
		{"cured", analyze.SiteReceivers, 300, SplitYes, 1},
		{"hopeless", analyze.SiteBranch, 63, SplitNo, 0},
		{"checked", analyze.SiteNull, 40, SplitPartly, 0.25},
		{"single2", analyze.SiteBranch, 24, SplitUnknown, 0},
		{"single", analyze.SiteBranch, 23, SplitUnknown, 0},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(found{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]SeenRow{{"T0", 100}, {"T1", 100}, {"T2", 100}}, r.Sites[1].Seen); d != "" {
		t.Error(d)
	}
}

// Types without a row bound the statements about types with one.
func TestTypesWithoutARowLeaveDoubts(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2}})
	for name, other := range map[string]uint64{"sure": 40, "likelier": 60, "dominant": 900} {
		called(t, b, name, "", func(p *builder.Profile) {
			p.VirtualCall(builder.At{Bci: 4}, builder.Others{Count: other},
				builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 50},
				builder.Row{Type: b.Type(builder.TypeKey{Name: "U"}), Count: 10})
		})
	}
	r, err := MostPolluted(t.Context(), memstore.Open(t, b), analyze.RankOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Doubt{}
	for _, s := range r.Sites {
		got[s.Name] = s.Doubt()
	}
	if d := cmp.Diff(map[string]Doubt{"sure": DoubtNone, "likelier": DoubtLikelier, "dominant": DoubtDominant},
		got); d != "" {
		t.Error(d)
	}
}
