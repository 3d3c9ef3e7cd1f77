package pages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// runOf returns an archive of a run in which a branch was taken so often, a call saw so many
// circles and squares, and a method of a name ran.
func runOf(t *testing.T, taken, notTaken, circles, squares uint64, extra string) *reader.Store {
	var settings layout.Params
	settings.TypeProfileWidth = 2
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: settings})
	area := b.Method(layout.Key{Class: "Shapes", Name: "area", Signature: "()V"})
	p := b.ProfileIn(area, 77, profileset.NoContext)
	p.Invocations(taken + notTaken)
	p.VirtualCall(builder.At{Bci: 4}, builder.Others{},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "Circle"}), Count: circles},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "Square"}), Count: squares})
	p.Branch(builder.At{Bci: 9}, builder.Branch{Taken: taken, Displacement: 48, NotTaken: notTaken})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	p = b.Profile(layout.Key{Class: "Only", Name: extra, Signature: "()V"}, 5)
	p.Branch(builder.At{Bci: 1}, builder.Branch{Taken: 100, Displacement: 4, NotTaken: 1})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, b)
}

// shown returns the page of a request as HTML.
func shown(t *testing.T, r *request) string {
	tmpl, err := newSideTemplates(serverLinks{}, layout.DomainHotSpot)
	if err != nil {
		t.Fatal(err)
	}
	p, err := renderPage(tmpl.templatesOf(r.site), r)
	if err != nil {
		t.Fatalf("%s %v: %v", r.view.name, r.query, err)
	}
	return unbroken(string(p.Content))
}

// TestDiffSaysWhatTheReportSays compares the page with the report that the command prints as
// JSON, and follows a row to the points of both archives.
func TestDiffSaysWhatTheReportSays(t *testing.T) {
	t.Parallel()
	a, b := runOf(t, 900, 100, 500, 0, "went"), runOf(t, 100, 900, 300, 200, "came")
	site := NewSite(t.Context(), Options{Archive: a, Other: b})
	want := printedDiff(t, a, b)
	page := built[*diffPage](t, requestOf(t, site, nameOfDiff))
	if diff := cmp.Diff(want, printed(t, page.Report)); diff != "" {
		t.Error(diff)
	}
	totals := map[string]int{}
	for _, l := range page.Lists {
		totals[l.Rows.ID] = l.Total
		if l.Total != len(l.Rows.Rows) {
			t.Errorf("%s has %d rows, not %d", l.Title, len(l.Rows.Rows), l.Total)
		}
	}
	if want := map[string]int{"changed": 1, "came": 1, "went": 1, "flipped": 1, "sites": 1}; !cmp.Equal(totals, want) {
		t.Errorf("the lists have %v rows, want %v", totals, want)
	}
	checkFlippedPair(t, site, page)
}

func checkFlippedPair(t *testing.T, site *Site, page *diffPage) {
	for _, l := range page.Lists {
		if l.Rows.ID != "flipped" {
			continue
		}
		r := requestOf(t, site, nameOfPair)
		r.query = l.Rows.Rows[0][0].Link.query
		pair := built[*pairPage](t, r)
		for _, p := range pair.Profiles[0].Points {
			if p.Number != 9 {
				continue
			}
			if p.A.Outcomes[0].Count != 900 || p.B.Outcomes[0].Count != 100 ||
				!strings.Contains(p.Change, "▼ 80 percentage points") {
				t.Errorf("the branch is %+v in A and %+v in B: %s", p.A, p.B, p.Change)
			}
			return
		}
	}
	t.Error("no page has the branch that flipped")
}

// TestDiffOfOtherDomainsIsRefusedInOneSentence also writes such a report.
func TestDiffOfOtherDomainsIsRefusedInOneSentence(t *testing.T) {
	t.Parallel()
	site := NewSite(t.Context(), Options{Archive: memstore.Open(t, specimen.All()[0].Build()),
		Other: memstore.Open(t, specimen.All()[2].Build())})
	page := shown(t, requestOf(t, site, nameOfDiff))
	if !strings.Contains(page, compare.ErrDomains.Error()) || strings.Contains(page, "<table") {
		t.Errorf("the page of archives of two domains is\n%s", page)
	}
	var out bytes.Buffer
	if err := site.WriteReport(t.Context(), &out, 2, nil); err != nil {
		t.Errorf("a report of archives of two domains: %v", err)
	}
}

// TestDiffOfHostileArchivesShowsNoControls compares archives whose every text is hostile.
func TestDiffOfHostileArchivesShowsNoControls(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.Hostile() {
		t.Run(sp.Name, func(t *testing.T) {
			t.Parallel()
			site := NewSite(t.Context(), Options{Archive: memstore.Open(t, sp.Build()), Other: memstore.Open(t, sp.Build())})
			pages := []string{shown(t, requestOf(t, site, nameOfDiff)), shown(t, requestOf(t, site, "overview"))}
			for m, err := range site.Archive.Methods() {
				if err != nil {
					t.Fatal(err)
				}
				r := requestOf(t, site, nameOfPair, "a", recordRefText(m.Ref()), "b", recordRefText(m.Ref()))
				pages = append(pages, shown(t, r))
			}
			for _, page := range pages {
				if strings.ContainsAny(page, "\x1b\x07\u009b\u202e\u2066\u200b\ufffd") ||
					strings.Contains(page, "\n"+specimen.Forged) {
					t.Errorf("a page has what should be escaped:\n%.2000q", page)
				}
			}
		})
	}
}

// TestPairsOfPointsKeepTheOrder aligns points when each side lacks some.
func TestPairsOfPointsKeepTheOrder(t *testing.T) {
	t.Parallel()
	points := func(numbers ...int32) (list []*point) {
		for _, n := range numbers {
			list = append(list, &point{Number: n})
		}
		return list
	}
	var got []string
	for _, p := range alignPoints(points(1, 3, 5, 9), points(2, 3, 5, 7, 9, 11)) {
		side := map[bool]string{true: "a", false: ""}[p.A != nil] + map[bool]string{true: "b", false: ""}[p.B != nil]
		got = append(got, side+string(rune('0'+p.Number)))
	}
	if want := []string{"a1", "b2", "ab3", "ab5", "b7", "ab9", "b;"}; !cmp.Equal(got, want) {
		t.Errorf("aligned to %v, want %v", got, want)
	}
}
