package fit_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/layout"
)

// TestProgramOfTheCaller checks profiles against code ids that a function supplies.
func TestProgramOfTheCaller(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	s := profiled(t, layout.Key{Class: "C", Name: "same"}, layout.Key{Class: "C", Name: "changed"},
		layout.Key{Class: "C", Name: "gone"}, layout.Key{Class: "C", Name: "other"})
	code := fit.CodeIDs(func(k layout.Key) ([]uint64, error) {
		switch k.Name {
		case "same":
			return []uint64{3, 7}, nil
		case "changed":
			return []uint64{3}, nil
		case "gone":
			return nil, nil
		}
		return nil, fmt.Errorf("%s: %w", k.Name, fit.ErrUnknownMethod)
	})
	r, err := fit.Check(t.Context(), s, code, fit.Options{Top: 9})
	if err != nil {
		t.Fatal(err)
	}
	want := map[fit.State]int{fit.Exact: 1, fit.Stale: 1, fit.Gone: 1, fit.Unchecked: 1}
	if !maps.Equal(r.Profiles, want) || r.Reasons["other: the method is not known"] != 1 {
		t.Errorf("profiles %v, want %v; unchecked for %v", r.Profiles, want, r.Reasons)
	}
	code = fit.CodeIDs(func(layout.Key) ([]uint64, error) { return nil, failed })
	if _, err := fit.Check(t.Context(), s, code, fit.Options{}); !errors.Is(err, failed) {
		t.Errorf("the error of the caller becomes %v", err)
	}
}
