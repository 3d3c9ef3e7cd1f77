package merging_test

import (
	"testing"

	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
)

func TestWeights(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]layout.Weight{
		"1":           layout.WeightOne,
		"3":           3 * layout.WeightOne,
		"0.25":        layout.WeightOne / 4,
		"18446744073": 18446744073 * layout.WeightOne,
		"0.000000001": 1,
	} {
		t.Run(text, func(t *testing.T) {
			w, err := merging.ParseWeight(text)
			if err != nil || w != want {
				t.Errorf("%s: %d, %v, want %d", text, w, err, want)
			}
			if w.String() != text {
				t.Errorf("%s is printed as %s", text, w)
			}
		})
	}
	for _, text := range []string{"", "0", "-1", "1.0000000001", "x", "1e3", "18446744074", "0.0"} {
		if w, err := merging.ParseWeight(text); err == nil {
			t.Errorf("%q: accepted as %s", text, w)
		}
	}
}
