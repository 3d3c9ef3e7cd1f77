package pages

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/specimen"
)

// Classes have the sums of their methods, and lead to the part of the treemap with these.
func TestClassesHaveTheSumsOfTheirMethods(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		site := specimenSite(t, sp)
		if !hasPackages(site) {
			continue
		}
		tally, err := tallyOf(requestOf(t, site, "overview"))
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range tally.measures {
			if by.Name == "cycles" || by.Name == "total" {
				continue
			}
			list := built[*memberList](t, requestOf(t, site, nameOfClasses, "classes.sort", "-"+by.Name)).Table
			at, sum, last := 0, 0.0, 0.0
			for i, c := range list.Columns {
				if c.Key == by.Name {
					at = i
				}
			}
			for i, row := range list.Rows {
				if sum += row[at].Value; i > 0 && row[at].Value > last {
					t.Errorf("%s: row %d by %s is out of order", sp.Name, i, by.Name)
				}
				last = row[at].Value
				if l := row[0].Link; l.view != "" && row[1].Value > 0 && at == 1 {
					r := requestOf(t, site, whereName)
					r.query = l.query
					if p := built[*wherePage](t, r); float64(p.Total) != row[1].Value || p.Name != l.Text {
						t.Errorf("%s: %q leads to %q with %d", sp.Name, l.Text, p.Name, p.Total)
					}
				}
			}
			if sum != float64(by.total) {
				t.Errorf("%s: classes have %v %s, methods %d", sp.Name, sum, by.Name, by.total)
			}
		}
		if o := shownPageOf(t, site, "overview", query{}); len(tally.measures) > 0 && !strings.Contains(o, `href="classes"`) {
			t.Errorf("%s: the overview does not lead to the classes", sp.Name)
		}
	}
}
