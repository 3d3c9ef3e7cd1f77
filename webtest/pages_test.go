package webtest

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"testing"
)

// TestEveryPage looks at pages of every kind of every sample, at all widths and in both colour schemes; with -short of
// one of the hostile samples, at one width, and other pages than the thorough ones in one scheme.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	for _, s := range must(t, shared.samples) {
		if testing.Short() && strings.HasPrefix(s.Name, "hostile-") && s.Name != "hostile-hotspot" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			tab := openTab(t)
			folder := serve(t, tab, s.Name)
			crawl := NewCrawl(folder + "overview")
			pages := 0
			for a := crawl.Next(); a != ""; a = crawl.Next() {
				open(t, tab, a)
				inspect(t, tab, strings.TrimPrefix(a, folder), thorough[s.Name] && crawl.First(a))
				links, err := tab.Links()
				if err != nil {
					t.Fatal(err)
				}
				crawl.Add(links...)
				pages++
			}
			t.Logf("%d pages", pages)
		})
	}
}

// TestReports looks at pages of the report of every sample, as TestEveryPage does; with -short of two.
func TestReports(t *testing.T) {
	t.Parallel()
	for _, s := range must(t, shared.samples) {
		if testing.Short() && !thoroughReport[s.Name] {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			tab := openTab(t)
			file := report(t, tab, s.Name)
			open(t, tab, file)
			check(t, tab, "all pages", "injected", "outsideOfBdi", "outline")
			var ids []string
			if err := tab.Eval(`[...document.querySelectorAll("section.page")].map((s) => s.id)`, &ids); err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for _, id := range ids {
				kind, _, _ := strings.Cut(id, ".")
				if seen[kind]++; seen[kind] > limitOf(kind) {
					continue
				}
				open(t, tab, file+"#"+url.PathEscape(id))
				check(t, tab, id, "alone", "takeHidden")
				inspect(t, tab, "#"+id, thoroughReport[s.Name] && seen[kind] == 1)
				check(t, tab, id, "putBack")
			}
		})
	}
}

// thorough are the samples whose pages axe-core looks at, which takes the most time: one of every
// domain, and what the others do not have.
var thorough = map[string]bool{"hotspot": true, "llvm-ir": true, "graal": true, "jamaica": true, "sampled": true,
	"custom": true, "compared": true, "hostile-hotspot": true}

// thoroughReport are the samples whose reports axe-core looks at.
var thoroughReport = map[string]bool{"hotspot": true, "sampled": true}

// inspect checks the page that is shown, with axe-core if it is to be thorough.
func inspect(t *testing.T, tab *Tab, page string, thorough bool) {
	t.Helper()
	check(t, tab, page, "injected", "outsideOfBdi", "outline", "unsorted")
	widths := Widths
	if testing.Short() {
		widths = widths[:1] // the narrowest, where most overflows
	}
	for _, width := range widths {
		view(t, tab, width, "light")
		check(t, tab, fmt.Sprintf("%s at %d pixels", page, width), "overflow")
	}
	schemes := Schemes
	if testing.Short() && !thorough {
		schemes = schemes[:1]
	}
	for _, scheme := range schemes {
		view(t, tab, 1400, scheme)
		where := fmt.Sprintf("%s, %s", page, scheme)
		check(t, tab, where, "faintSVG", "faintText")
		if thorough && plain(page) && (!testing.Short() || rules[scheme] == nil) {
			accessible(t, tab, where, rules[scheme]...)
		}
	}
	complain(t, page, tab.Problems())
}

// rules lists axe-core's rules that are run in a colour scheme: all in one, and in the other
// what depends on colours, but with -short, where faintText looks at the other's colours alone.
var rules = map[string][]string{"light": nil, "dark": {"color-contrast", "link-in-text-block"}}

// accessible runs axe-core on the page that is shown, if it is there; TestAxeIsThere tells.
func accessible(t *testing.T, tab *Tab, where string, rules ...string) {
	t.Helper()
	axe, err := shared.axe()
	if err != nil {
		return
	}
	problems, err := tab.Accessible(axe, rules...)
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
	complain(t, where, problems)
}

// plain reports whether a page does not only show another part of a table than its view does.
func plain(page string) bool {
	u, err := url.Parse(page)
	if err != nil {
		return false
	}
	for key := range u.Query() {
		if strings.Contains(key, ".") {
			return false
		}
	}
	return path.Base(u.Path) != ""
}

// TestAxeIsThere tells whether TestEveryPage and TestReports check accessibility.
func TestAxeIsThere(t *testing.T) {
	t.Parallel()
	if _, err := shared.axe(); err != nil {
		t.Skip("no axe-core: ", err)
	}
}
