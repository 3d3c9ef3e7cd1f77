package intern

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSymbolsSortedEarly: all symbols are sorted in the end, for any number of presorted ones.
func TestSymbolsSortedEarly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "early")
		var s Symbols
		for i := range n {
			s.Intern(fmt.Sprint(i * 7919 % 1000))
		}
		s.Presorted = s.Snapshot().SortedAnew(new(Sorter))
		if len(s.Presorted) != s.Len() {
			t.Fatalf("%d of %d are sorted early", len(s.Presorted), s.Len())
		}
		for range rapid.IntRange(0, 8).Draw(t, "late") {
			s.Intern(rapid.StringMatching(`[0-9]{0,4}`).Draw(t, "text"))
		}
		var sorter Sorter
		if got, want := s.Sorted(&sorter), s.SortedAnew(&sorter); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
