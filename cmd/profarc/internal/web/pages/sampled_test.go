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
			found := built[*memberList](t, requestOf(t, site, "methods", "find", find)).Table.Found
			if found > 0 != want {
				t.Errorf("%d methods are found in %s", found, find)
			}
		}
		return
	}
	t.Error("no specimen is sampled")
}

// TestTheRestIsLast: of a treemap what stands for several branches is at the right or bottom, however heavy it is.
func TestTheRestIsLast(t *testing.T) {
	t.Parallel()
	for _, in := range []box{{0, 0, 60, 40}, {0, 0, 40, 60}} {
		boxes := divideBox(in, []branch{{value: 3}, {value: 1}, {value: 6, rest: 9}})
		last, area := boxes[2], 0.0
		for _, b := range boxes {
			area += b.areaOf()
		}
		if last.X+last.W < in.W-0.01 || last.Y+last.H < in.H-0.01 || last.X+last.Y == 0 || area < in.areaOf()-0.01 ||
			last.areaOf() < 0.59*in.areaOf() {
			t.Errorf("%v is divided into %v", in, boxes)
		}
	}
}
