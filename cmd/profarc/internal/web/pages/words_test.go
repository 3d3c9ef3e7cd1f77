package pages

import (
	"testing"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestEscapeAnalysisInWords(t *testing.T) {
	for want, e := range map[string]reader.Escape{
		"no result": {},
		"Argument slot 1 may be allocated on the stack; it modifies objects that are not known":                       {Flags: 0x11, Stack: 2},
		"Each of the argument slots 0, 2 does not escape; argument slot 0 is returned; it returns only its arguments": {Flags: 3, Local: 5, Returned: 1},
		"Every argument may escape; it returns only new objects; a new object escapes; further flags 0x20":            {Flags: 0x2d},
	} {
		if got := escapeText(e); got != want {
			t.Errorf("%+v is %q, want %q", e, got, want)
		}
	}
}

func TestMeasuresAndTiersInWords(t *testing.T) {
	for d, want := range map[layout.Domain]string{layout.DomainHotSpot: "Calls of the method, until C2 compiled it",
		layout.DomainGraal: "Calls of the method"} {
		if got := measureAbout(d, "invocations", "calls of the method; of HotSpot's others"); got != want {
			t.Errorf("invocations are %q, want %q", got, want)
		}
	}
	if got := measureAbout(layout.DomainLLVMIR, "function-count", "LLVM: the counter"); got != "The counter" {
		t.Errorf("the measure is %q", got)
	}
	for level, want := range []string{"never compiled", "1: C1, without profiling", "2: C1, with counters",
		"3: C1, with full profiling", "4: C2", "5"} {
		if got := tierText(layout.DomainHotSpot, level); got != want {
			t.Errorf("level %d is %q, want %q", level, got, want)
		}
	}
	for words, want := range map[int64]string{0: "not modified", -1: "may be modified anywhere",
		1<<32 - 1: "may be modified anywhere", 6: "modified in words 0x6"} {
		if got := modifiedText(words); got != want {
			t.Errorf("%d is %q, want %q", words, got, want)
		}
	}
}

func TestSentencesBeginWithCapitals(t *testing.T) {
	for text, want := range map[string]string{"": "", "of the JDK": "Of the JDK", "été": "Été", "1 of 2": "1 of 2",
		"\xff": "\xff"} {
		if got := capital(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
