package facts

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

func TestSummaryHasLLVMsShares(t *testing.T) {
	for _, sp := range specimen.All() {
		if !sp.Domain.LLVM() {
			continue
		}
		s := memstore.Open(t, sp.Build())
		sum, _, err := llvm.Summarize(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Summarize(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range sum.Cutoffs {
			if got := r.Units[0].Cutoffs[i]; float64(c.Share)/1e4 != got.Percent ||
				c.Blocks != got.Counts || c.MinCount != got.MinCount {
				t.Errorf("%s: %+v, LLVM has %+v", sp.Name, got, c)
			}
		}
	}
}

func TestSummarySaysWhatReduceKeeps(t *testing.T) {
	for _, sp := range specimen.All() {
		s := memstore.Open(t, sp.Build())
		r, err := Summarize(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for i, share := range summaryShares {
			part, kept, err := reduce.Archive(t.Context(), s, reduce.Options{Hot: layout.Weight(share) * millionth})
			if err != nil {
				t.Fatal(err)
			}
			samples, err := TallySamples(memstore.Open(t, part), Samples)
			if err != nil {
				t.Fatal(err)
			}
			more := int(kept.Methods) - r.Cutoffs[i].Methods // that only samples keep
			if more < 0 || more > len(samples.methods) {
				t.Errorf("%s: %v%%: reduce keeps %d methods, %d are on stacks, the summary says %d", sp.Name, r.Cutoffs[i].Percent,
					kept.Methods, len(samples.methods), r.Cutoffs[i].Methods)
			}
		}
	}
}

func TestSummaryTakesTheFewestCounts(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	for name, counts := range map[string][]uint64{"f": {500, 1, 300}, "g": {100, 50, 0}, "h": {49}} {
		p := b.Profile(layout.Key{Class: "A", Name: name}, 0)
		testarchive.RecordAs(b, layout.DomainLLVMIR, func() { p.Counters(0, counts...) })
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Summarize(t.Context(), memstore.Open(t, b))
	if err != nil {
		t.Fatal(err)
	}
	for percent, want := range map[float64]SummaryRow{
		50:   {50, 1, 801, 1, 500},
		60:   {60, 1, 801, 2, 300},
		80:   {80, 1, 801, 2, 300},
		90:   {90, 2, 150, 3, 100},
		99:   {99, 3, 49, 5, 49},
		99.9: {99.9, 3, 49, 5, 49},
	} {
		for _, row := range r.Units[0].Cutoffs {
			if row.Percent == percent && row != want {
				t.Errorf("%+v, want %+v", row, want)
			}
		}
	}
	if u := r.Units[0]; r.Methods != 3 || u.Methods != 3 || u.Counts != 6 || len(u.Cutoffs) != len(summaryShares) ||
		len(r.Units) != 1 {
		t.Errorf("%+v", r)
	}
}
