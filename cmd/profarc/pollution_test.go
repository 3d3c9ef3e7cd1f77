package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestPollutionHasLimits(t *testing.T) {
	counts := func(counts ...uint64) map[uint64]uint64 {
		seen := map[uint64]uint64{}
		for i, n := range counts {
			seen[uint64(i)] = n
		}
		return seen
	}
	for _, c := range []struct {
		kind siteKind
		t    tally
		want bool
	}{
		{siteReceivers, tally{seen: counts(50, 50)}, false}, // two can be tested for
		{siteReceivers, tally{seen: counts(50, 50), other: 1}, true},
		{siteReceivers, tally{seen: counts(50, 50, 0)}, false},
		{siteReceivers, tally{seen: counts(89, 6, 5)}, true},
		{siteReceivers, tally{seen: counts(90, 5, 5)}, false},
		{siteReceivers, tally{other: 100}, false}, // types were not recorded
		{siteReceivers, tally{seen: counts(50, 50), untyped: 100}, false},
		{siteTargets, tally{seen: counts(1<<63, 1<<63, 1<<63)}, true},
		{siteChecked, tally{seen: counts(1, 1, 1)}, true},
		{siteBranch, tally{seen: counts(59, 41)}, true},
		{siteBranch, tally{seen: counts(60, 40)}, false},
		{siteBranch, tally{seen: counts(40, 60)}, false},
		{siteBranch, tally{seen: counts(0, 60)}, false},
		{siteBranch, tally{seen: counts(1, 1, 1)}, false}, // a switch
		{siteBranch, tally{seen: counts(0, 0)}, false},
		{siteNull, tally{other: 5, null: true}, true},
		{siteNull, tally{other: 5}, false},
	} {
		if got := c.t.polluted(c.kind); got != c.want {
			t.Errorf("%s %+v: %v, want %v", c.kind, c.t, got, c.want)
		}
	}
}

// A rowOf is so many receivers of one type.
type rowOf struct {
	name  string
	count uint64
}

// called adds a profile of a method that a caller calls; without one the profile
// holds for every caller.
func called(t *testing.T, b *builder.Builder, name, caller string, fill func(p *builder.Profile)) {
	t.Helper()
	m, c := b.Method(layout.Key{Class: "A", Name: name}), builder.NoContext
	if caller != "" {
		c = b.Context(m, builder.Frame{Caller: b.Method(layout.Key{Class: "A", Name: caller}), Point: 3})
	}
	p := b.Profile(m, 0, c)
	fill(p)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
}

func storeOf(t *testing.T, b *builder.Builder) *reader.Store {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("app.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func TestContextsTellWhetherASplitHelps(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	receivers := func(sub uint16, flags uint8, rows ...rowOf) func(*builder.Profile) {
		var all []builder.Row
		for _, r := range rows {
			all = append(all, builder.Row{Type: b.Type(builder.TypeKey{Name: r.name}), Count: r.count})
		}
		return func(p *builder.Profile) { p.Receivers(7, sub, flags, 0, 0, all...) }
	}
	branch := func(x, y uint64) func(*builder.Profile) {
		return func(p *builder.Profile) {
			p.Successors(9, layout.SubConditional, builder.Successor{Point: 12, Count: x}, builder.Successor{Point: 20, Index: 1, Count: y})
		}
	}
	for i, caller := range []string{"f", "g", "h"} {
		called(t, b, "cured", caller, receivers(layout.SubVirtualCall, 0, rowOf{fmt.Sprint("T", i), 100}))
		called(t, b, "hopeless", caller, branch(11, 10))
	}
	called(t, b, "half", "f", branch(0, 300))
	called(t, b, "half", "g", branch(300, 0))
	called(t, b, "half", "h", branch(100, 100))
	called(t, b, "single", "f", branch(12, 11))
	called(t, b, "single2", "", branch(13, 11))
	called(t, b, "checked", "f", receivers(layout.SubTypeCheck, layout.WideNullSeen, rowOf{"T0", 30}))
	called(t, b, "checked", "g", receivers(layout.SubTypeCheck, 0, rowOf{"T0", 10}))
	called(t, b, "fine", "f", branch(99, 1))

	r, err := mostPolluted(context.Background(), storeOf(t, b), topOptions{n: 100})
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		name  string
		kind  siteKind
		count uint64
		split split
		cured float64
	}
	var got []found
	for _, s := range r.Sites {
		got = append(got, found{s.Name, s.Kind, s.Count, s.Split, s.Cured})
	}
	want := []found{
		{"half", siteBranch, 800, splitPartly, 0.75},
		{"cured", siteReceivers, 300, splitYes, 1},
		{"hopeless", siteBranch, 63, splitNo, 0},
		{"checked", siteNull, 40, splitPartly, 0.25},
		{"single2", siteBranch, 24, splitUnknown, 0},
		{"single", siteBranch, 23, splitUnknown, 0},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(found{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]seenRow{{"T0", 100}, {"T1", 100}, {"T2", 100}}, r.Sites[1].Seen); d != "" {
		t.Error(d)
	}
}
