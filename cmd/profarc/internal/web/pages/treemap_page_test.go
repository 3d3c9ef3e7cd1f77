package pages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// manyPackages returns a site of so many packages of one method each, the first with the most invocations.
func manyPackages(t *testing.T, n int) *Site {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2}})
	for i := range n {
		p := b.Profile(layout.Key{Class: fmt.Sprintf("p%02d/Main", i), Name: "main", Signature: "()V"}, 0)
		p.Invocations(uint64(1000 - i))
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return NewSite(t.Context(), Options{Archive: memstore.Open(t, b)})
}

// What stands for further packages leads to the table, which has all of them.
func TestFurtherPackagesAreInTheTable(t *testing.T) {
	t.Parallel()
	p := built[*wherePage](t, requestOf(t, manyPackages(t, 70), whereName))
	for _, m := range p.Maps {
		last := m.Tiles[len(m.Tiles)-1]
		if l := last.Link; last.Class != "more" || l.view != whereName || l.element != p.Places.ID ||
			!strings.HasPrefix(l.Text, fmt.Sprintf("%d more", 70-mostGroups)) {
			t.Errorf("the last tile of the %s map is %+v", m.Class, last)
		}
	}
	if p.Places.Of != 70 {
		t.Errorf("the table has %d packages", p.Places.Of)
	}
}

// Shares say what they are of: bytes of profiles are a part of the file.
func TestTreemapNamesItsWholes(t *testing.T) {
	t.Parallel()
	site := specimenSite(t, specimen.All()[0])
	body := shownPageOf(t, site, whereName, newQuery("by", "size"))
	p := built[*wherePage](t, requestOf(t, site, whereName, "by", "size"))
	file := uint64(site.Archive.Header().FileSize)
	if want := fmt.Sprintf("%s bytes of profiles, %s of the file", cli.Grouped(p.Total),
		percentText(cli.Share(p.Total, file))); !strings.Contains(body, want) {
		t.Errorf("the page lacks %q:\n%s", want, body)
	}
	for _, row := range p.Places.Rows {
		value, part, whole := row[1].Value, row[2].Value, row[3].Value
		if part != value/float64(p.Total) || whole != value/float64(file) {
			t.Errorf("%v of %d and of %d: shares %v and %v", value, p.Total, file, part, whole)
		}
	}
	body = shownPageOf(t, site, whereName, newQuery("at", "p0"))
	for _, text := range []string{"Share of the package", "Share of the archive"} {
		if !strings.Contains(body, text) {
			t.Errorf("the page of a package lacks %q", text)
		}
	}
}

// Methods of HotSpot have the level that top warns of, wherever they are listed.
func TestMethodsHaveTheirLevels(t *testing.T) {
	t.Parallel()
	site := specimenSite(t, specimen.All()[0])
	for _, view := range []string{"overview", "methods"} {
		if n := strings.Count(shownPageOf(t, site, view, query{}), "a method of level 4 ran more often"); n != 1 {
			t.Errorf("%s says %d times what level 4 is", view, n)
		}
	}
	list := built[*memberList](t, requestOf(t, site, "methods", "methods.sort", "-level")).Table
	level := list.Columns[len(list.Columns)-1]
	first := list.Rows[0]
	if level.Name != "Level" || first[len(first)-1].Value != 4 || !strings.Contains(first[0].Link.Text, "String.length") {
		t.Errorf("first by %q is %+v", level.Name, first)
	}
	if strings.Contains(shownPageOf(t, specimenSite(t, specimen.All()[1]), "methods", query{}), "Level") {
		t.Error("other domains have levels")
	}
}

// A type without methods in the archive is no link to a list without rows.
func TestTypesWithoutMethodsAreNoLinks(t *testing.T) {
	t.Parallel()
	site := specimenSite(t, specimen.All()[0])
	b := &pointBuilder{request: requestOf(t, site, "methods")}
	for class, want := range map[string]bool{"shapes/Circle": true, "shapes/None": false, "[I": false} {
		t.Run(class, func(t *testing.T) {
			if l := b.linkToType(class, "", nil); (l.view != "") != want {
				t.Errorf("%s: %+v", class, l)
			}
		})
	}
}

func TestSearchesForEveryWord(t *testing.T) {
	t.Parallel()
	for search, want := range map[string]bool{"": true, "hashmap getnode": true, "GETNODE  java": true,
		"hashmap put": false, "map x": true, "getNode(": false} {
		t.Run(search, func(t *testing.T) {
			list := &table{Search: search, search: newSearch(layout.DomainHotSpot, search)}
			if got := list.matchesSearch([]cell{textCell("java.util.HashMap.getNode"), textCell("x")}); got != want {
				t.Errorf("%q: %t, want %t", search, got, want)
			}
		})
	}
	list := built[*memberList](t, requestOf(t, specimenSite(t, specimen.All()[0]), "methods", "find",
		"LENGTH string")).Table
	if list.Found != 1 {
		t.Errorf("%d methods found", list.Found)
	}
}

func TestPlacesOfNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"example.com/app/store.(*Index).Find":         {"example.com/app/store", "(*Index)"},
		"example.com/app/store.Open":                  {"example.com/app/store", ""},
		"example.com/app/store.Open.func1":            {"example.com/app/store", ""},
		"main.main":                                   {"main", ""},
		"std::vector<a::b>::push_back":                {"std", "vector<a::b>"},
		"core::iter::next":                            {"core::iter", ""},
		"[kernel]":                                    {"", ""},
		"runtime.mapassign":                           {"runtime", ""},
		"slices.SortFunc[go.shape.[]example.com/a.B]": {"slices", ""},
	} {
		if in, class := splitName(layout.DomainSampled, name); [2]string{in, class} != want {
			t.Errorf("%q is in %q, %q, want %q", name, in, class, want)
		}
	}
	for name, want := range map[string][2]string{
		"java/util/HashMap":              {"java.util", "HashMap"},
		"Main":                           {"", "Main"},
		"a/B$$Lambda@c/d/E#1":            {"a", "B$$Lambda@c.d.E#1"},
		"com.example.Native":             {"com.example", "Native"},
		"trailing.":                      {"", "trailing."},
		"":                               {"", ""},
		"java/lang/invoke/LambdaForm$MH": {"java.lang.invoke", "LambdaForm$MH"},
	} {
		if in, class := splitClass(name); [2]string{in, class} != want {
			t.Errorf("%q is in %q, %q, want %q", name, in, class, want)
		}
	}
}
