package pages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// requestOf returns a request for a page of a site that waits for its data.
func requestOf(t *testing.T, s *Site, name string, pairs ...string) *request {
	v := s.viewNamed(name)
	if v == nil {
		t.Fatalf("the site has no view %s", name)
	}
	return &request{ctx: t.Context(), site: s, view: v, query: newQuery(pairs...), patience: -1, damage: new(error)}
}

// built returns what a page shows.
func built[T any](t *testing.T, r *request) T {
	content, err := r.view.build(r)
	if err != nil {
		t.Fatalf("%s %v: %v", r.view.name, r.query, err)
	}
	return content.(T)
}

// TestPlacesAddUp follows the links of the treemap's tables down to the methods: everywhere the
// parts have the counts of the whole.
func TestPlacesAddUp(t *testing.T) {
	t.Parallel()
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			site := specimenSite(t, sp)
			tally, err := tallyOf(requestOf(t, site, "overview"))
			if err != nil {
				t.Fatal(err)
			}
			for _, by := range tally.measures {
				if by.Name == "total" {
					continue // includes what was called
				}
				checkPlace(t, site, newQuery("by", by.Name), float64(by.total))
			}
		})
	}
}

func checkPlace(t *testing.T, site *Site, q query, want float64) {
	r := requestOf(t, site, whereName)
	r.query = q
	p := built[*wherePage](t, r)
	if float64(p.Total) != want {
		t.Errorf("%v: the parts have %d, the whole %v", q, p.Total, want)
	}
	for _, row := range p.Places.Rows {
		if l := row[0].Link; l.view == whereName {
			checkPlace(t, site, l.query, row[1].Value)
		}
	}
}

// TestOverviewComesWhileMethodsAreCounted asks for the overview without any patience.
func TestOverviewComesWhileMethodsAreCounted(t *testing.T) {
	t.Parallel()
	site := specimenSite(t, specimen.All()[0])
	site.work = newBackgroundJobs(t.Context())
	for _, what := range []string{"the counts of all methods", "the packages of all methods",
		"how few methods have most of the weight"} {
		j := &job{done: make(chan struct{})}
		j.progress.setSteps(3, 4)
		site.work.jobs[what] = j
	}
	r := requestOf(t, site, "overview")
	r.patience = 0
	o := built[*overview](t, r)
	if o.Counting == nil || o.Counting.Share != 0.75 || o.Counts.Methods == 0 || o.Where != nil {
		t.Errorf("the overview is %+v", o)
	}
	tmpl, err := templates(serverLinks{}, layout.DomainHotSpot)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := tmpl.ExecuteTemplate(&page, "overview", o); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); !strings.Contains(text, "data-again") || !strings.Contains(text, "75.0% are done") {
		t.Errorf("the page does not say that it waits:\n%s", text)
	}
}

// TestMeasuresHaveOneName compares the names of the hottest methods, the cutoffs and the treemap.
func TestMeasuresHaveOneName(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		o := built[*overview](t, requestOf(t, specimenSite(t, sp), "overview"))
		if o.Where != nil && (o.Where.By[0].Link.Text != capitalized(o.Hottest.Methods.ID) || !o.Where.By[0].Current ||
			o.Where.Heading() != "Treemap by "+o.Where.Measure) {
			t.Errorf("%s: %q by %+v, the first list is by %q", sp.Name, o.Where.Heading(), o.Where.By, o.Hottest.Methods.ID)
		}
		want := map[string]string{"hotspot": "weight", "sampled": "time"}[sp.Name]
		if want != "" && (len(o.Cutoffs) != 1 || !strings.HasPrefix(o.Cutoffs[0], "Of the "+want+" 50% in ")) {
			t.Errorf("%s: cutoffs %q, want those of %s", sp.Name, o.Cutoffs, want)
		}
	}
}

// TestMethodsWithoutCountsAreNamed asks for the methods that LLVM's counters say nothing of: no
// header has their number.
func TestMethodsWithoutCountsAreNamed(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		site := specimenSite(t, sp)
		o := built[*overview](t, requestOf(t, site, "overview"))
		summary, err := facts.Summarize(t.Context(), site.Archive)
		if err != nil {
			t.Fatal(err)
		}
		counts := site.Archive.Header().Counts
		if summary.Methods > 0 && o.Without+counts.Unexecuted+summary.Methods != counts.Methods {
			t.Errorf("%s: %d of %d methods without counts, %d never ran, %d counted", sp.Name, o.Without, counts.Methods,
				counts.Unexecuted, summary.Methods)
		}
	}
}

// TestCutoffsAreThoseOfTheSummary compares the overview with what the command prints in JSON.
func TestCutoffsAreThoseOfTheSummary(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		site := specimenSite(t, sp)
		got, err := summaryOf(requestOf(t, site, "overview"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := facts.Summarize(t.Context(), site.Archive)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Cutoffs, got.Cutoffs); diff != "" {
			t.Errorf("%s: %s", sp.Name, diff)
		}
		for i, u := range want.Units {
			shown := got.Units[i]
			if shown.Unit != u.Unit || shown.Methods != u.Methods {
				t.Errorf("%s: unit %v, want %v", sp.Name, shown, u)
			}
			for k, c := range u.Cutoffs {
				if s := shown.Cutoffs[k]; s.Percent != c.Percent || s.Methods != c.Methods || s.MinWeight != c.MinWeight {
					t.Errorf("%s, %s: %v, want %v", sp.Name, u.Unit, s, c)
				}
			}
		}
	}
}
