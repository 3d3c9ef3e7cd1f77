package warm

import (
	"slices"
	"testing"
)

func TestWordsAreSplitAsByAShell(t *testing.T) {
	t.Parallel()
	words, err := splitWords(`  -Xa "-Db=c d" -De='f "g' ''  -Xh `)
	if want := []string{"-Xa", "-Db=c d", `-De=f "g`, "", "-Xh"}; err != nil || !slices.Equal(words, want) {
		t.Errorf("%q, %v", words, err)
	}
}
