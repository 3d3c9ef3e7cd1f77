package pages

import (
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// Every table of every specimen has a page, to which the overview leads, with all rows of the
// command's, which can be sorted by each column and searched.
func TestTablesHaveTheirRows(t *testing.T) {
	t.Parallel()
	tables := 0
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		site := specimenSite(t, sp)
		for found, err := range site.Archive.Tables() {
			if err != nil {
				t.Fatal(err)
			}
			tables++
			q := rowsLink(found.Kind).query
			if href := "rows?" + q.encodeQuery(); !strings.Contains(shownPageOf(t, site, overviewView.name, query{}), href) {
				t.Errorf("%s: the overview does not lead to %s", sp.Name, href)
			}
			columns := listing.TableColumns(site.Archive, found)
			r := requestOf(t, site, nameOfRows)
			for i := range columns {
				r.query = q.withValues("rows.sort", strconv.Itoa(i))
				shown := built[*rowsPage](t, r).Rows
				if shown.Of != found.Rows || len(shown.Rows) != min(found.Rows, rowsOnPage) {
					t.Errorf("%s, %s: %d of %d rows, want %d", sp.Name, found.Kind, len(shown.Rows), shown.Of, found.Rows)
				}
				for k := 1; k < len(shown.Rows); k++ {
					if compareCells(shown.Rows[k-1][i], shown.Rows[k][i]) > 0 {
						t.Errorf("%s, %s: row %d is not in the order of column %d", sp.Name, found.Kind, k, i)
					}
				}
				if len(shown.Rows) == 0 {
					continue
				}
				text := shown.Rows[0][i].Link.Text
				r.query = q.withValues("rows.find", text)
				if again := built[*rowsPage](t, r).Rows; again.Found == 0 || again.Found > found.Rows {
					t.Errorf("%s, %s: %d rows with %q", sp.Name, found.Kind, again.Found, text)
				}
			}
		}
	}
	if tables < 10 {
		t.Errorf("the specimens have %d tables", tables)
	}
	r := requestOf(t, specimenSite(t, specimen.All()[0]), nameOfRows, "table", "77")
	if _, err := r.view.build(r); !isNotFound(err) {
		t.Errorf("a table that the archive does not have: %v", err)
	}
}
