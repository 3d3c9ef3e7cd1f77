package analyze_test

import (
	"fmt"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// tenMethods opens an archive of methods m0 to m9, which have 1 to 10 invocations.
func tenMethods(t *testing.T) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range 10 {
		p := b.Profile(layout.Key{Class: "C", Name: fmt.Sprint("m", i), Signature: "()V"}, 0)
		p.Invocations(uint64(i + 1))
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return memstore.Open(t, b)
}

// TestLimitOfRankings checks that Hottest and ByHeat list all methods without a limit, and the same methods with one.
func TestLimitOfRankings(t *testing.T) {
	t.Parallel()
	s := tenMethods(t)
	for limit, want := range map[int]int{-1: 0, 0: 10, 3: 3, 10: 10, 11: 10} {
		o := analyze.RankOptions{Limit: limit}
		top, err := analyze.Hottest(t.Context(), s, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		var iterated []layout.Ref
		for m, err := range analyze.ByHeat(t.Context(), s, nil, o) {
			if err != nil {
				t.Fatal(err)
			}
			iterated = append(iterated, m.Ref())
		}
		if len(top.Methods) != want || len(iterated) != want {
			t.Errorf("limit %d: Hottest lists %d, ByHeat %d; want %d", limit, len(top.Methods), len(iterated), want)
			continue
		}
		for i, row := range top.Methods {
			if row.Record.Ref() != iterated[i] {
				t.Errorf("limit %d: row %d is method %v of the archive, ByHeat has %v", limit, i, row.Record.Ref(), iterated[i])
			}
		}
	}
}

// TestRowsLeadToMethods reads the invocations of a ranked method through its row.
func TestRowsLeadToMethods(t *testing.T) {
	t.Parallel()
	top, err := analyze.Hottest(t.Context(), tenMethods(t), nil, analyze.RankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range top.Methods {
		for p, err := range row.Record.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			if n, ok := p.Invocations(); !ok || n.Load() != row.Value {
				t.Errorf("%s has %d invocations, its row %d", row, n.Load(), row.Value)
			}
		}
	}
}
