package analyze

import (
	"math"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// TestSharesOfSaturatedTotals: parts of a total that saturates have shares of their true sum.
func TestSharesOfSaturatedTotals(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	for _, name := range []string{"a", "b"} {
		p := b.Profile(layout.Key{Class: "A", Name: name, Signature: "void()"}, 0)
		p.Successors(3, layout.SubConditional, builder.Successor{Point: 9, Count: math.MaxUint64 / 2},
			builder.Successor{Point: 10, Count: math.MaxUint64 / 2})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	s := memstore.Open(t, b)
	r, err := Hottest(t.Context(), s, nil, RankOptions{})
	if err != nil || len(r.Methods) != 2 {
		t.Fatal(r, err)
	}
	sum := 0.0
	for _, m := range r.Methods {
		sum += m.Share
		p, err := s.Profile(layout.Key{Class: "A", Name: m.Name, Signature: "void()"}, layout.CodeAny)
		if err != nil {
			t.Fatal(err)
		}
		points, err := new(PointReader).Points(p)
		if err != nil || len(points) != 1 {
			t.Fatal(points, err)
		}
		for i := range points[0].Outcomes {
			if o := &points[0].Outcomes[i]; o.Share != 0.5 || points[0].LookedShare(o) != 0.5 {
				t.Errorf("an outcome of two equal ones has %v and %v", o.Share, points[0].LookedShare(o))
			}
		}
	}
	if sum != 1 {
		t.Errorf("the shares add up to %v", sum)
	}
}
