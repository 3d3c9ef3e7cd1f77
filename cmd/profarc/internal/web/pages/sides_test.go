package pages

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// twoArchives returns a site of an archive with a method Only.went, and of another one with a
// method Only.came in its place.
func twoArchives(t *testing.T) *Site {
	return NewSite(t.Context(), Options{Archive: runOf(t, 900, 100, 500, 0, "went"),
		Other: runOf(t, 100, 900, 300, 200, "came")})
}

// TestLinksStayWithTheirArchive follows all links of two archives: each page says which
// archive it is of, and has what that archive has.
func TestLinksStayWithTheirArchive(t *testing.T) {
	t.Parallel()
	pages, url := served(t, twoArchives(t))
	folder := url + pages.Path()
	found := map[string]int{}
	seen, next := map[string]bool{}, []string{nameOfDiff}
	for len(next) > 0 && len(seen) < 300 {
		path := next[0]
		next = next[1:]
		if seen[path] || strings.Contains(path, ".sort=") {
			continue
		}
		status, body := fetch(t, "GET", folder+path, "")
		if status == http.StatusAccepted {
			next = append(next, path)
			continue
		}
		seen[path] = true
		if status != http.StatusOK {
			t.Errorf("%s: status %d\n%s", path, status, body)
		}
		side := sideOf(path)
		found[side]++
		if side == "" {
			if strings.Contains(body, `class="sides"`) {
				t.Errorf("%s is of both archives, and says that it is of one", path)
			}
		} else if !strings.Contains(body, "<strong>Of "+side+", ") {
			t.Errorf("%s does not say that it is of %s", path, side)
		}
		if foreign := map[string]string{"A": "came", "B": "went"}[side]; foreign != "" &&
			strings.Contains(body, "Only."+foreign) {
			t.Errorf("%s has the method of the other archive", path)
		}
		next = append(next, linksOf(body)...)
	}
	if found["A"] < 10 || found["B"] != found["A"] {
		t.Errorf("there are %v pages", found)
	}
}

// requestFor returns the letter of the archive that a page is of, empty for both.
func sideOf(path string) string {
	switch name, query, _ := strings.Cut(path, "?"); {
	case name == nameOfDiff || name == nameOfPair:
		return ""
	case strings.Contains(query, "archive=b"):
		return "B"
	}
	return "A"
}

// TestTwoArchivesBeginWithWhatChanged asks for the address that web prints.
func TestTwoArchivesBeginWithWhatChanged(t *testing.T) {
	t.Parallel()
	for site, want := range map[*Site]string{twoArchives(t): nameOfDiff,
		NewSite(t.Context(), Options{Archive: runOf(t, 1, 2, 3, 4, "x")}): "overview"} {
		pages, url := served(t, site)
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+pages.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if got := answer.Header.Get("Location"); !strings.HasSuffix(got, "/"+want) {
			t.Errorf("the first page is %s, not %s", got, want)
		}
	}
}

// TestMethodsLeadToTheOtherArchive goes from the page of a method in A to that in B, and to
// both side by side.
func TestMethodsLeadToTheOtherArchive(t *testing.T) {
	t.Parallel()
	site := twoArchives(t)
	for m, err := range site.Archive.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		name, err := m.Name()
		if err != nil {
			t.Fatal(err)
		}
		text := shown(t, requestOf(t, site, nameOfPair, "a", recordRefText(m.Ref())))
		if !strings.Contains(text, "Its page in A") || !strings.Contains(text, "Only A has it") {
			t.Errorf("the page of a method of A is\n%s", text)
		}
		r := requestOf(t, site, nameOfMethod, "at", recordRefText(m.Ref()))
		links, beside := r.sideLinks(), r.besideLink()
		if beside == nil || beside.query.valueOf("a") != recordRefText(m.Ref()) {
			t.Fatalf("%s does not lead to the comparison: %+v", name, beside)
		}
		other := links[1].Link
		if name.String() == "went" {
			if other.Text != "" || beside.query.valueOf("b") != "" {
				t.Errorf("%s leads to B, which lacks it: %+v", name, other)
			}
			continue
		}
		at := requestOf(t, site.twin, nameOfMethod, "at", other.query.valueOf("at"))
		if page := built[*methodPage](t, at); page.Name.Method != "Shapes::area()V" ||
			beside.query.valueOf("b") != other.query.valueOf("at") {
			t.Errorf("%s leads to %+v", name, page.Name)
		}
	}
}

// TestReportHasThePagesOfBothArchives writes one file of two archives.
func TestReportHasThePagesOfBothArchives(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	site := NewSite(t.Context(), Options{Archive: runOf(t, 900, 100, 500, 0, "went"), Other: runOf(t, 0, 0, 0, 0, "came")})
	if err := site.WriteReport(t.Context(), &out, 1, nil); err != nil {
		t.Fatal(err)
	}
	text := unbroken(out.String())
	for _, want := range []string{`id="diff"`, `id="overview"`, `id="overview.archive-b"`, `id="methods.archive-b"`,
		`href="#overview.archive-b"`, "(not in this report)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %s", want)
		}
	}
}

// TestViewsOfOneArchiveLeadToTheOverviewOfTheOther has stacks in A alone.
func TestViewsOfOneArchiveLeadToTheOverviewOfTheOther(t *testing.T) {
	t.Parallel()
	seen := false
	for _, sp := range specimen.All() {
		site := NewSite(t.Context(), Options{Archive: memstore.Open(t, sp.Build()), Other: runOf(t, 1, 2, 3, 4, "x")})
		if site.viewNamed(nameOfFlame) == nil {
			continue
		}
		seen = true
		if l := requestOf(t, site, nameOfFlame).sideLinks()[1].Link; l.view != "overview" ||
			l.query.valueOf(keyOfSide) != sideB {
			t.Errorf("%s: the stacks of A lead to %+v", sp.Name, l)
		}
		if l := requestOf(t, site, nameOfMethods).sideLinks()[1].Link; l.view != nameOfMethods {
			t.Errorf("%s: the methods of A lead to %+v", sp.Name, l)
		}
	}
	if !seen {
		t.Error("no specimen has stacks")
	}
}
