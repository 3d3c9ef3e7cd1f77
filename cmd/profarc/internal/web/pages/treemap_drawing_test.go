package pages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

// TestTreemapHasFewTiles checks the limits of treemaps of any shape: how many tiles, where they
// are, and that what they stand for adds up.
func TestTreemapHasFewTiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Uint64Range(1, 1<<40)
		var groups []branch
		total := uint64(0)
		for i := range rapid.IntRange(1, 60).Draw(t, "groups") {
			g := branch{link: link{Text: fmt.Sprint("group", i)}}
			for k := range rapid.IntRange(0, 60).Draw(t, "parts") {
				p := branch{link: link{Text: fmt.Sprint("part", k)}, value: value.Draw(t, "value")}
				g.parts, g.value = append(g.parts, p), g.value+p.value
			}
			g.value = max(g.value, 1)
			groups, total = append(groups, g), total+g.value
		}
		m := newTreemaps(treemap{of: total, amount: cli.Grouped}, groups, mostParts)[0]
		if len(m.Tiles) > 300 {
			t.Fatalf("%d tiles", len(m.Tiles))
		}
		for i, tile := range m.Tiles {
			if !inside(tile.box, box{0, 0, m.W, m.H}) {
				t.Fatalf("%v is outside", tile)
			}
			for _, other := range m.Tiles[:i] {
				if tile.Class != "frame" && other.Class != "frame" && overlap(tile.box, other.box) > 0.01 {
					t.Fatalf("%v and %v overlap", tile, other)
				}
			}
			if tile.Label != nil && (tile.W < narrowestName || tile.H < labelHeight) {
				t.Fatalf("%v has the label %v", tile.box, tile.Label)
			}
		}
	})
}

func TestFoldKeepsTheSum(t *testing.T) {
	t.Parallel()
	list := []branch{{value: 5}, {value: 9}, {value: 3, rest: 7}, {value: 1}, {value: 4}}
	folded := foldBranches(list, link{}, 2, func(branch) bool { return true })
	if len(folded) != 3 || folded[0].value != 9 || folded[1].value != 5 || folded[2].value != 8 || folded[2].rest != 9 {
		t.Errorf("folded to %+v", folded)
	}
}

func TestLabelsAreCutBetweenTheirParts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]nameLabel{
		"HashMap": {"", "HashMap"}, "": {"", ""}, "com.sun.tools.javac.tree": {"com.sun.tools.javac.", "tree"},
		"internal/runtime/gc/scan": {"internal/runtime/gc/", "scan"}, "std::vector<a::b>": {"std::", "vector<a::b>"},
		"(*mspan)": {"", "mspan"}, "(*spanInlineMarkBits).init": {"spanInlineMarkBits.", "init"},
		"Type.hasTag(a.TypeTag)": {"Type.", "hasTag(a.TypeTag)"}, "fibs.main.func1": {"fibs.", "main.func1"},
		"a.b.func2.1": {"a.", "b.func2.1"}, "slices.Sort[go.shape.[]int]": {"slices.", "Sort[go.shape.[]int]"},
		"json.(*decodeState).array": {"json.decodeState.", "array"}, "f(void (*)(int))": {"", "f(void (*)(int))"},
		"(anonymous)": {"", "(anonymous)"}, "漢字漢字漢字": {"", "漢字漢字漢字"},
		strings.Repeat("x", 5000): {"", strings.Repeat("x", 4*mostTitle)},
	} {
		if got := labelOf(text); got != want {
			t.Errorf("%.40q is %q, want %q", text, got, want)
		}
	}
}

// A report has fewer tiles, and pages of packages with a share that is seen.
func TestTreemapsOfReportsAreSmall(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for p := range 30 {
		for c := range 40 {
			q := b.Profile(layout.Key{Class: fmt.Sprintf("p%d/C%d", p, c), Name: "m", Signature: "()V"}, 1)
			q.Invocations(uint64(100_000/(1+p*p*p) + 40 - c))
			if err := q.Done(); err != nil {
				t.Fatal(err)
			}
		}
	}
	site := NewSite(t.Context(), Options{Archive: memstore.Open(t, b)})
	r := requestOf(t, site, whereName)
	queries, err := whereInReport(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		r.query = q
		r.inReport = false
		served := built[*wherePage](t, r)
		r.inReport = true
		reported := built[*wherePage](t, r)
		if q.valueOf("at") != "" && served.Share < shareInReport {
			t.Errorf("%s has a page, with a share of %v", served.Name, served.Share)
		}
		for i, m := range reported.Maps {
			if most := partsInReport/(1+i) + 3*mostGroups; len(m.Tiles) > most || len(m.Tiles) > len(served.Maps[i].Tiles) {
				t.Errorf("%s: %d tiles, %d on a server", m.Class, len(m.Tiles), len(served.Maps[i].Tiles))
			}
		}
	}
	packages := slices.DeleteFunc(queries, func(q query) bool { return q.valueOf("at") == "" })
	if len(packages) < 3 || len(packages) >= packagesInReport {
		t.Errorf("%d packages have pages", len(packages))
	}
}
