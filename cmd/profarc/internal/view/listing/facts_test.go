package listing

import (
	"testing"

	"github.com/profarc/profarc/layout"
)

func TestTiersInWords(t *testing.T) {
	for level, want := range []string{"never compiled", "1 (C1, without profiling)", "2 (C1, with counters)",
		"3 (C1, with full profiling)", "4 (C2)", "5"} {
		if got := tierText(layout.DomainHotSpot, level); got != want {
			t.Errorf("level %d is %q, want %q", level, got, want)
		}
	}
}

func TestFactsInALine(t *testing.T) {
	facts := []Fact{{"invocations", "3"}, {"highest level", "never compiled"}, {"size in the VM", "200 bytes"}}
	want := "invocations 3, highest level: never compiled, size in the VM 200 bytes"
	if got := FactsText(facts); got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}
