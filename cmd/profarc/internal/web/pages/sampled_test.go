package pages

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// TestPageOfASampledFunction: sums by line come first, in one unit, then callers and callees; contexts are a link.
func TestPageOfASampledFunction(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		if sp.Name != "sampled" {
			continue
		}
		site := specimenSite(t, sp)
		m, err := site.Archive.Find(layout.Key{Name: "fibs.fib"})
		if err != nil {
			t.Fatal(err)
		}
		body, rest := shownPageOf(t, site, "method", methodQuery(m)), ""
		_, rest, _ = strings.Cut(body, "900 ms of 930 ms (96.8%)")
		for _, next := range []string{"700 ms in the method itself", "hottest line 22: 500 ms",
			"main.go:21", "400 ms", "main.go:22", "500 ms", ">Callers<", "fibs.main", ">Callees<",
			"sums.(*Adder[go.shape.int]).Add", "contexts=more"} {
			before, after, ok := strings.Cut(rest, next)
			if !ok {
				t.Fatalf("no %q follows in %s", next, before)
			}
			rest = after
		}
		if strings.Contains(body, "nanoseconds") || strings.Contains(body, "not known") {
			t.Errorf("the page spells another unit, or what is not known: %s", body)
		}
		for find, want := range map[string]bool{"main.go": true, "none.go": false} { // as the header's search asks
			found := built[*memberList](t, requestOf(t, site, "methods", "methods.find", find)).Table.Found
			if found > 0 != want {
				t.Errorf("%d methods are found in %s", found, find)
			}
		}
		return
	}
	t.Error("no specimen is sampled")
}
