package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unbroken returns HTML without the places where names may be broken, as copies of it are.
func unbroken(html string) string { return strings.ReplaceAll(html, "<wbr>", "") }

// shownPageOf returns the HTML of a page of a site.
func shownPageOf(t *testing.T, site *Site, view string, q query) string {
	t.Helper()
	made, err := templates(serverLinks{}, layout.DomainHotSpot)
	if err != nil {
		t.Fatal(err)
	}
	p, err := renderPage(made, &request{ctx: t.Context(), site: site, view: site.viewNamed(view), query: q, patience: -1})
	if err != nil {
		t.Fatalf("%s?%s: %v", view, q.encodeQuery(), err)
	}
	return unbroken(string(p.Content))
}

// countElements are the counts on the page of a method.
var countElements = regexp.MustCompile(`<span class="count"(?:>| title=")([0-9,]+)(?:</span>| nanoseconds")`)

// eachMethodOfSpecimens calls f with the methods of all specimens.
func eachMethodOfSpecimens(t *testing.T, f func(t *testing.T, site *Site, m reader.Method)) {
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			site := specimenSite(t, sp)
			for m, err := range site.Archive.Methods() {
				if err != nil {
					t.Fatal(err)
				}
				f(t, site, m)
			}
		})
	}
}

// The page of a profile has every count of its JSON.
func TestMethodPageHasTheCountsOfTheJSON(t *testing.T) {
	t.Parallel()
	eachMethodOfSpecimens(t, func(t *testing.T, site *Site, m reader.Method) {
		for q, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			body := shownPageOf(t, site, "method", methodQuery(m).withValues("profile", recordRefText(q.Ref())))
			shown := map[string]int{}
			for _, found := range countElements.FindAllStringSubmatch(body, -1) {
				shown[found[1]]++
			}
			for n, times := range jsonCounts(t, site.Archive, m, q) {
				if shown[n] < times {
					t.Errorf("%s, profile %s: the JSON has the count %s %d times, the page %d times", m.Store().Mapping().Name(),
						recordRefText(q.Ref()), n, times, shown[n])
				}
			}
		}
	})
}

// jsonCounts returns how often each count above 0 is in the entries of a profile's JSON, as pages spell it.
func jsonCounts(t *testing.T, s *reader.Store, m reader.Method, q reader.Profile) map[string]int {
	var b bytes.Buffer
	if err := jsondump.WriteProfile(&b, s, m, q); err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Methods []struct{ Profiles []map[string]any }
	}
	decoder := json.NewDecoder(&b)
	decoder.UseNumber()
	if err := decoder.Decode(&parsed); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		addCounts(counts, parsed.Methods[0].Profiles[0][s.String()])
	}
	return counts
}

// addCounts adds the counts in a part of the JSON. A negative one is of checks that failed.
func addCounts(counts map[string]int, part any) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			addCounts(counts, p)
		}
	case map[string]any:
		for key, p := range part {
			n, isNumber := p.(json.Number)
			if !isNumber {
				addCounts(counts, p)
				continue
			}
			if value := n.String(); (key == "count" || key == "taken" || key == "not_taken") && value != "0" && value[0] != '-' {
				var v uint64
				if _, err := fmt.Sscan(value, &v); err == nil {
					counts[cli.Grouped(v)]++
				}
			}
		}
	}
}

// Names of an archive cannot make elements, nor change the order of text.
func TestHostileNamesAreText(t *testing.T) {
	t.Parallel()
	eachMethodOfSpecimens(t, func(t *testing.T, site *Site, m reader.Method) {
		body := shownPageOf(t, site, "method", methodQuery(m))
		for _, bad := range []string{"\u202e", "\x1b", "\x00", "\u2066", "\nFORGED"} {
			if strings.Contains(body, bad) {
				t.Errorf("the page of %s has %q", recordRefText(m.Ref()), bad)
			}
		}
		if strings.Count(body, "<bdi>") != strings.Count(body, "</bdi>") {
			t.Error("a name opens or closes an element")
		}
	})
}

// Elements of one document have ids of their own, on the page of a server and in a report.
func TestElementsHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			var report bytes.Buffer
			if err := NewSite(t.Context(), Options{Archive: memstore.Open(t, sp.Build())}).WriteReport(t.Context(), &report,
				20, nil); err != nil {
				t.Fatal(err)
			}
			ids := map[string]bool{}
			for _, found := range idForm.FindAllStringSubmatch(report.String(), -1) {
				id := found[1] + found[2]
				if ids[id] {
					t.Errorf("two elements have the id %q", id)
				}
				ids[id] = true
			}
			links := regexp.MustCompile(` href="?#([^"\s>]*)`).FindAllStringSubmatch(report.String(), -1)
			for _, found := range links {
				if !ids[found[1]] {
					t.Errorf("a link leads to %q, which no element is", found[1])
				}
			}
			if len(links) < 5 {
				t.Errorf("only %d links", len(links))
			}
		})
	}
}

// The page of a method of HotSpot's says what its profiles take, why points may have fewer counts
// than the method has invocations, what points are numbered by, and how to see code.
func TestMethodPageExplainsItsNumbers(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2}})
	p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
	p.Invocations(9000)
	p.Interpreted(512)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	explained := explainNumbers(t, NewSite(t.Context(), Options{Archive: memstore.Open(t, b)})) +
		explainNumbers(t, specimenSite(t, specimen.All()[0]))
	if explained != 1 {
		t.Errorf("%d methods with interpreted invocations", explained)
	}
}

// explainNumbers checks the pages of all methods, and returns how many profiles have interpreted invocations.
func explainNumbers(t *testing.T, site *Site) (interpreted int) {
	by, _ := analyze.MeasureNamed("size")
	for m, err := range site.Archive.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		values, err := by.Values(site.Archive, m)
		if err != nil {
			t.Fatal(err)
		}
		body := shownPageOf(t, site, "method", methodQuery(m))
		if want := pluralText(values[0], "byte") + " of profiles in the archive"; values[0] > 0 != strings.Contains(body,
			want) {
			t.Errorf("%s: no %q, or one too many", recordRefText(m.Ref()), want)
		}
		if !strings.Contains(body, "--class-path, naming") {
			t.Errorf("%s: no hint at --class-path", recordRefText(m.Ref()))
		}
		if strings.Contains(body, `class="number">Point</th>`) {
			t.Errorf("%s: points are numbered by bci", recordRefText(m.Ref()))
		}
		for q, err := range m.Profiles() {
			if n, ok := q.Interpreted(); err == nil && ok && n.Load() > 0 {
				interpreted++
				if want := "The interpreter counted " + pluralText(n.Load(), "invocation"); !strings.Contains(body, want) {
					t.Errorf("%s: no %q", recordRefText(m.Ref()), want)
				}
			}
		}
	}
	return interpreted
}

var idForm = regexp.MustCompile(` id=(?:"([^"]*)"|([^\s>]+))`)
