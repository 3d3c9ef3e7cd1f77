package compare_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// lambdas returns an archive with one method for each class and code.
func lambdas(t *testing.T, hidden bool, codes map[string]uint64) *reader.Store {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for class, code := range codes {
		if hidden {
			b.Internal().DescribeType(b.Type(builder.TypeKey{Name: class}),
				"", layout.TypeHidden|layout.TypeNotMatchable)
		}
		p := b.Profile(layout.Key{Class: class, Name: "test", Signature: "()V"}, code)
		p.Branch(builder.At{Bci: 1}, builder.Branch{Taken: code, Displacement: 4})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return memstore.Open(t, b)
}

// TestHiddenClassesArePairedByTheirCode compares lambdas that the VM numbered in different orders, and others with
// different code.
func TestHiddenClassesArePairedByTheirCode(t *testing.T) {
	t.Parallel()
	a := map[string]uint64{"A$$Lambda@A#1": 10, "A$$Lambda@A#4": 20, "A$$Lambda@A#5": 30, "B$$Lambda@B#4": 40,
		"Z$$Lambda@Z#9": layout.CodeUnknown}
	b := map[string]uint64{"A$$Lambda@A#1": 10, "A$$Lambda@A#2": 30, "A$$Lambda@A#3": 20, "C$$Lambda@C#4": 40,
		"Z$$Lambda@Z#8": layout.CodeUnknown}
	r := stores(t, lambdas(t, true, a), lambdas(t, true, b), compare.Options{Top: 9})
	var pairs []string
	for _, m := range r.Renumbered.List {
		inA, errA := m.A.Key()
		inB, errB := m.B.Key()
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		pairs = append(pairs, fmt.Sprintf("%s is %s, %.2f and %.2f", inA.Class, inB.Class, m.ShareA, m.ShareB))
	}
	if want := []string{"A$$Lambda@A#5 is A$$Lambda@A#2, 0.30 and 0.30",
		"A$$Lambda@A#4 is A$$Lambda@A#3, 0.20 and 0.20"}; !slices.Equal(pairs, want) {
		t.Errorf("paired %q, want %q", pairs, want)
	}
	if r.Came.Total != 1 || r.Went.Total != 1 || r.HiddenCame != 1 || r.HiddenWent != 1 || !r.Came.List[0].Hidden {
		t.Errorf("%d came, %d went, of these %d and %d of hidden classes", r.Came.Total, r.Went.Total, r.HiddenCame,
			r.HiddenWent)
	}
	if score := *r.Score; score > 0.11 {
		t.Errorf("the score is %v", score)
	}
	r = stores(t, lambdas(t, false, a), lambdas(t, false, b), compare.Options{Top: 9})
	if r.Renumbered.Total != 0 || r.Came.Total != 3 || r.Went.Total != 3 || r.HiddenCame+r.HiddenWent != 0 {
		t.Errorf("of classes with names of their own %d are paired, %d came", r.Renumbered.Total, r.Came.Total)
	}
}
