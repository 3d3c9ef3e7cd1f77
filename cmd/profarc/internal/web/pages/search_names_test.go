package pages

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSearchNames searches names whose parts come again in others.
func TestSearchNames(t *testing.T) {
	t.Parallel()
	n := &searchNames{}
	n.addMember("com.a.First.run()", "com/a/First::run()V")
	n.addMember("com.a.Second.run()", "")
	n.addMember("", "last")
	n.dropNumbers()
	for text, want := range map[string][]int32{"RUN": {1, 0}, "run first": {0}, "first second": {}, "last": {2},
		"com.a.Second.run(": {1}, "t.run()": {0}, "a.first": {0}, "com.a.": {1, 0}, "a.run": {},
		"": {2, 1, 0}, "()v": {0}, "runcom": {}, "d.r": {1}} {
		t.Run(text, func(t *testing.T) {
			if got, err := n.membersMatching(t.Context(), text, []int32{2, 1, 0}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q is in %v, want %v", text, got, want)
			}
		})
	}
}

// TestSearchNamesAsText compares with what a search of the whole names finds.
func TestSearchNamesAsText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		b := make([]byte, random.IntN(most+1))
		for i := range b {
			b[i] = "ab.:(;)"[random.IntN(7)]
		}
		return string(b)
	}
	n, names, found := &searchNames{}, []string{}, 0
	for range 500 {
		names = append(names, text(9))
		n.addMember(names[len(names)-1])
	}
	n.dropNumbers()
	for range 2000 {
		word := text(4) + "a"
		lacks := make([]bool, len(names))
		n.markWithout(word, lacks)
		for i, lacks := range lacks {
			if lacks == strings.Contains(names[i], word) {
				t.Fatalf("%q in %q: %v", word, names[i], !lacks)
			}
			if !lacks {
				found++
			}
		}
	}
	if found < 1000 {
		t.Error("words are in", found, "names")
	}
}
