package terminal

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/layout"
)

// TestCutNamesAreFound: what a narrow terminal prints of a name finds it again.
func TestCutNamesAreFound(t *testing.T) {
	for _, locale := range []string{"C.UTF-8", "C"} {
		t.Setenv("LC_ALL", locale)
		for d, k := range map[layout.Domain]layout.Key{
			layout.DomainHotSpot: {Class: "com/sun/tools/javac/parser/JavaTokenizer$Inner", Name: "readToken",
				Signature: "(Ljava/lang/Object;Ljava/util/Map$Entry;[I)V"},
			layout.DomainLLVMIR:  {Name: "src/tree.cpp;_ZN4Tree3addERKSt6vectorIiSaIiEEPKc"},
			layout.DomainSampled: {Name: "example.com/app/a_long_package/store.(*Index[...]).FindAllOfThem.func1"},
		} {
			text := display.Spelling{}.Method(d, k)
			for width := len(text); width >= leastShown; width-- {
				s := &Screen{Width: width, Domain: d}
				cut := s.Cut(text, 0)
				if p := match.New(cut); !p.MatchesMethod(d, k) || strings.Contains(cut, "\n") {
					t.Errorf("%s: %q is cut to %q, which does not find it", locale, text, cut)
				}
			}
		}
	}
}
