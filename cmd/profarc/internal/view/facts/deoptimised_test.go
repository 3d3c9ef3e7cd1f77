package facts

import (
	"math"
	"strings"
	"testing"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestDeoptimisedHasAllTraps adds up what profiles count and what their points note: each is in the report once.
func TestDeoptimisedHasAllTraps(t *testing.T) {
	t.Parallel()
	all := 0
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		s := memstore.Open(t, sp.Build())
		r, err := MostDeoptimised(t.Context(), s, analyze.RankOptions{Limit: math.MaxInt})
		if err != nil {
			t.Fatal(err)
		}
		counted, noted := uint64(0), 0
		var points analyze.PointReader
		for m, err := range s.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			for q, err := range m.Profiles() {
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range q.TrapHistory() {
					counted += uint64(n)
				}
				list, err := points.Points(q)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range list {
					if p.Traps != "" {
						noted++
					}
				}
			}
		}
		sum := uint64(0)
		for i, d := range r.Reasons {
			sum += d.Count
			noted -= len(d.Points)
			if strings.HasSuffix(d.Reason, entries.RecompiledSuffix) || i > 0 && d.Count > r.Reasons[i-1].Count {
				t.Errorf("%s: reason %d is %s with %d", sp.Name, i, d.Reason, d.Count)
			}
		}
		if sum != counted || r.Total != counted || noted != 0 || r.Of != len(r.Reasons) {
			t.Errorf("%s: %d and %d counted, want %d; %d points missing", sp.Name, sum, r.Total, counted, noted)
		}
		all += len(r.Reasons)
	}
	if all < 10 {
		t.Errorf("the specimens have %d reasons", all)
	}
}

// TestEveryReasonHasACure goes through the reasons of the releases that are known.
func TestEveryReasonHasACure(t *testing.T) {
	t.Parallel()
	for _, r := range entries.BytecodeTraps[1:] {
		if entries.TrapCure(r.Name) == "" || entries.TrapCure(r.Plain) != entries.TrapCure(r.Name) {
			t.Errorf("%s: %q, %s: %q", r.Name, entries.TrapCure(r.Name), r.Plain, entries.TrapCure(r.Plain))
		}
	}
}
