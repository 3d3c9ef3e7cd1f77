package pages

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// TestSearchNames searches names whose parts come again in others.
func TestSearchNames(t *testing.T) {
	t.Parallel()
	n := searchNames{}
	n.addMember("com.a.First.run()", "com/a/First::run()V")
	n.addMember("com.a.Second.run()", "")
	n.addMember("", "last")
	for text, want := range map[string][]int32{"RUN": {1, 0}, "run first": {0}, "first second": {}, "last": {2},
		"com.a.Second.run(": {1}, "t.run()": {0}, "a.first": {0}, "com.a.": {1, 0}, "a.run": {},
		"": {2, 1, 0}, "/RUN/ /fi.st/": {0}, "^last|First": {2, 0}, "/a b/": {}, "com.* second": {1}, "f?rst": {},
		"*first* run": {0}, "/(/": {}, "()v": {0}, "runcom": {}, "d.r": {1}} {
		t.Run(text, func(t *testing.T) {
			s := newSearch(layout.DomainHotSpot, text)
			if got, err := n.membersMatching(t.Context(), s, []int32{2, 1, 0}); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q is in %v, want %v", text, got, want)
			}
		})
	}
}

// TestSearchFindsWhatIsPrinted: a search finds each method as pages and commands print it, also as a glob and as an
// expression.
func TestSearchFindsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		site := specimenSite(t, sp)
		for m := range site.Archive.Methods() {
			name, err := analyze.NameOf(site.Archive, m)
			if err != nil {
				t.Fatal(err)
			}
			if name.Method == "" {
				continue
			}
			for _, text := range []string{name.Spelled(), name.String(), strings.ReplaceAll(name.String(), ".", "/"),
				escape.Printable(name.String()), "*" + name.Name + "*", "/" + regexp.QuoteMeta(name.Spelled()) + "/"} {
				list := built[*memberList](t, requestOf(t, site, "methods", "find", text)).Table
				if !slices.ContainsFunc(list.Rows, func(row []cell) bool { return row[0].Link.Text == name.Spelled() }) {
					t.Errorf("%s: %q does not find %q", sp.Name, text, name.Spelled())
				}
			}
		}
	}
}
