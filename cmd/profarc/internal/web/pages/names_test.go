package pages

import (
	"slices"
	"testing"
)

// TestSearchNames searches names whose parts come again in others.
func TestSearchNames(t *testing.T) {
	t.Parallel()
	n := &searchNames{}
	n.add("com.a.First.run()", "com/a/First::run()V")
	n.add("com.a.Second.run()", "")
	n.add("", "last")
	for text, want := range map[string][]int32{"RUN": {1, 0}, "run first": {0}, "first second": {}, "last": {2},
		"": {2, 1, 0}, "()v": {0}, "runcom": {}, "d.r": {1}} {
		if got, err := n.having(t.Context(), text, []int32{2, 1, 0}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is in %v, want %v", text, got, want)
		}
	}
}
