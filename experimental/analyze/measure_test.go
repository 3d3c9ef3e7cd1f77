package analyze_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestSumsAreThoseOfEachMeasure compares one pass for all measures with one pass per measure.
func TestSumsAreThoseOfEachMeasure(t *testing.T) {
	t.Parallel()
	var all []*analyze.Measure
	for i := range analyze.Measures {
		all = append(all, &analyze.Measures[i])
	}
	for _, sp := range specimen.All() {
		s := memstore.Open(t, sp.Build())
		for m, err := range s.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			got, err := analyze.Sums(all, s, m)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]uint64, len(all))
			for i, by := range all {
				values, err := by.Values(s, m)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range values {
					want[i] = disk.SaturatingAdd(want[i], n)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", sp.Name, diff)
			}
		}
	}
}
