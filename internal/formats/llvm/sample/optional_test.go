package sample

import (
	"bytes"
	"io"
	"testing"

	"github.com/profarc/profarc/formats/codec"
)

// TestOptionalFacts: an export names each fact that its form does not hold, and what is read back has all others.
func TestOptionalFacts(t *testing.T) {
	t.Parallel()
	whole := func() *Profile {
		return &Profile{Partial: true, FlowStages: true, Symbols: []string{"f", "g"}, Files: map[string]string{"f": "f.c"},
			Functions: []*Function{{Name: "f", Total: 9, Lines: []Line{{Location{Line: 1}, 9, nil}}},
				{Name: "g", First: 7, Total: 3, Lines: []Line{{Location{Line: 2}, 3, nil}}}}}
	}
	want := map[codec.LossKind]int{LossSymbols: 2, LossFlags: 2, LossSources: 2}
	for _, x := range []codec.Exporter{TextExporter(), BinaryExporter(), ExtensibleExporter(), GCCExporter()} {
		x := x.(*exporter)
		var b bytes.Buffer
		if err := x.write(whole(), &b); err != nil {
			t.Fatal(err)
		}
		back, err := Read(io.Reader(&b), "x")
		if err != nil {
			t.Fatal(err)
		}
		read := map[codec.LossKind]int{}
		for _, fact := range back.optionalFacts() {
			read[fact.What] = fact.Count
		}
		for fact, n := range want {
			holds := x.holds != nil && x.holds(whole(), fact)
			if got := read[fact]; holds != (got == n) || !holds && got != 0 {
				t.Errorf("%s holds %q: %v, but %d of %d come back", x.Format().Name, fact, holds, got, n)
			}
		}
	}
}
