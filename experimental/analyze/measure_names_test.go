package analyze

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// TestMeasuresAreNamedAsTheirUnits compares the names of measures with the names of units in the schema, which show and
// info print.
func TestMeasuresAreNamedAsTheirUnits(t *testing.T) {
	schema, _ := disk.SchemaOf(layout.TagCount)
	checked := 0
	for _, m := range append([]Measure{ownSamples}, Measures...) {
		for _, d := range []layout.Domain{layout.DomainJamaica, layout.DomainSampled} {
			if m.sub == 0 || !m.MayHave(d) {
				continue
			}
			checked++
			unit := disk.UnitName(schema.Units[m.sub], d)
			if m.Name == "" || m.Noun != unit || m.Name != strings.ReplaceAll(unit, " ", "-") {
				t.Errorf("measure %q, %q after a number: the unit is %q in domain %s", m.Name, m.Noun, unit, d)
			}
		}
	}
	if checked != 6 {
		t.Errorf("%d measures", checked)
	}
}
