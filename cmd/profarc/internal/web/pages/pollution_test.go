package pages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// Each polluted site has a row, whose link leads to an element of its method's page.
func TestPollutedSitesLeadToTheirPoints(t *testing.T) {
	t.Parallel()
	sites := 0
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		site := specimenSite(t, sp)
		if !hasSites(site) {
			continue
		}
		report, err := facts.MostPolluted(t.Context(), site.Archive, analyze.RankOptions{Limit: sitesListed})
		if err != nil {
			t.Fatal(err)
		}
		body := shownPageOf(t, site, "pollution", query{})
		if got := strings.Count(body, "<tr><td>"); got != len(report.Sites) {
			t.Errorf("%s: %d rows for %d sites", sp.Name, got, len(report.Sites))
		}
		for _, s := range report.Sites {
			sites++
			m, err := site.Archive.Find(layout.Key{Class: s.Class, Name: s.Name, Signature: s.Signature, Loader: s.Loader})
			if err != nil {
				t.Fatal(err)
			}
			q := methodQuery(m).withValues("code", s.Code)
			if href := fmt.Sprintf(`href="method?%s#point-%d"`, strings.ReplaceAll(q.encodeQuery(), "&", "&amp;"),
				s.Point); !strings.Contains(body, href) {
				t.Errorf("%s: no link %s", sp.Name, href)
			}
			if id := fmt.Sprintf(`id="point-%d"`, s.Point); !strings.Contains(shownPageOf(t, site, "method", q), id) {
				t.Errorf("%s: the page of the method has no %s", sp.Name, id)
			}
		}
	}
	if sites < 5 {
		t.Errorf("the specimens have %d polluted sites", sites)
	}
}

func TestStackedBarsEndAtTheirEnd(t *testing.T) {
	t.Parallel()
	list := segmentsOf(requestOf(t, specimenSite(t, specimen.All()[0]), "pollution"), &facts.PollutedSite{
		Kind: analyze.SiteBranch, Seen: []facts.SeenRow{{What: "a", Count: 60}, {What: "b", Count: 30}}, Count: 100,
		Untyped: 4})
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprintf("%s %.2f %.2f", s.Class, s.From, s.Share))
	}
	want := []string{"part-0 0.00 0.60", "part-1 0.60 0.30", "part-rest 0.90 0.06", "part-rest 0.96 0.04"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The page says how many types have rows, names the rest as the page of the method does, knows
// no likeliest way for null, and says what was certain in merged runs.
func TestPollutionSaysWhatIsNotRecorded(t *testing.T) {
	t.Parallel()
	site := specimenSite(t, specimen.All()[0])
	body := shownPageOf(t, site, "pollution", query{})
	for _, text := range []string{"HotSpot records the first 2 types", "at bci 7 of",
		"it had one outcome in merged runs with 30.0% of its counts", "In runs that were certain", `data-value="0.3"`,
		"Likeliest recorded", "other types", `data-value="-1">-`} {
		if !strings.Contains(body, text) {
			t.Errorf("the page lacks %q:\n%s", text, body)
		}
	}
	if strings.Contains(body, "others") {
		t.Error("the page has another name for other types")
	}
}
