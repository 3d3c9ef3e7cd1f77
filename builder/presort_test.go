package builder

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// However many symbols are sorted before the others come, all are sorted in the
// end.
func TestSymbolsSortedEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "early")
		b := New(1, Config{})
		for i := range n {
			b.Symbol(fmt.Sprint(i * 7919 % 1000))
		}
		b.SortSymbols()
		if len(b.symbols.presorted) != b.symbols.len() {
			t.Fatalf("%d of %d are sorted early", len(b.symbols.presorted), b.symbols.len())
		}
		for range rapid.IntRange(0, 8).Draw(t, "late") {
			b.Symbol(rapid.StringMatching(`[0-9]{0,4}`).Draw(t, "text"))
		}
		var sorter keySorter
		if got, want := b.symbols.sorted(&sorter), b.symbols.sortedAnew(&sorter); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
