package pages

import (
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/specimen"
)

// rowTexts returns the texts of the rows of a table.
func rowTexts(t *table) (list []string) {
	for _, r := range t.Rows {
		var cells []string
		for _, c := range r {
			cells = append(cells, c.Link.Text)
		}
		list = append(list, strings.Join(cells, "|"))
	}
	return list
}

// TestDeoptimisationsSayWhatCuresThem looks for the reasons that the specimen notes.
func TestDeoptimisationsSayWhatCuresThem(t *testing.T) {
	t.Parallel()
	at := slices.IndexFunc(specimen.All(), func(s specimen.Specimen) bool { return s.Name == "hotspot" })
	site := specimenSite(t, specimen.All()[at])
	page := built[*deoptimisedPage](t, requestOf(t, site, "deoptimised"))
	want := "java.lang.String.length()|array_check|not counted|Receivers at bci 6|1|1|" +
		"an array of another type was stored " +
		"to than was seen: train with all types"
	if got := rowTexts(page.Table); len(got) != page.Of || !slices.Contains(got, want) {
		t.Errorf("%d reasons are %q", page.Of, got)
	}
}
