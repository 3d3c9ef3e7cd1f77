package pages

import (
	"testing"

	"github.com/profarc/profarc/layout"
)

func TestMeasuresInWords(t *testing.T) {
	for d, want := range map[layout.Domain]string{layout.DomainHotSpot: "Calls of the method, until C2 compiled it",
		layout.DomainGraal: "Calls of the method"} {
		if got := measureAbout(d, "invocations", "calls of the method; of HotSpot's others"); got != want {
			t.Errorf("invocations are %q, want %q", got, want)
		}
	}
	if got := measureAbout(layout.DomainLLVMIR, "function-count", "LLVM: the counter"); got != "The counter" {
		t.Errorf("the measure is %q", got)
	}
}

func TestSentencesBeginWithCapitals(t *testing.T) {
	for text, want := range map[string]string{"": "", "of the JDK": "Of the JDK", "été": "Été", "1 of 2": "1 of 2",
		"\xff": "\xff"} {
		t.Run(text, func(t *testing.T) {
			if got := capitalized(text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		})
	}
}
