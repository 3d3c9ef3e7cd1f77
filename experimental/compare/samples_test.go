package compare_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testprofile"
)

// TestSamplesAreComparedByLine compares the overlap of two CPU profiles with the overlap of their times per line as
// pprof reads them. B has every other sample of the compiler's profile, with shortened stacks.
func TestSamplesAreComparedByLine(t *testing.T) {
	full.Only(t, "takes many inputs")
	data := testprofile.OfCompiler(t)
	a, b := parseProfile(t, data), parseProfile(t, data)
	var kept []*profile.Sample
	for i, s := range b.Sample {
		if s.Location = s.Location[:min(len(s.Location), 1+i%3)]; i%2 == 0 {
			kept = append(kept, s)
		}
	}
	b.Sample = kept
	inA, _ := testprofile.Import(t, data)
	inB, _ := testprofile.Import(t, testprofile.Encode(t, b))
	found, err := compare.Stores(t.Context(), inA, inB, compare.Options{Top: 5})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	linesA, linesB := timeOfLines(a), timeOfLines(b)
	for at, share := range linesA {
		want += min(share, linesB[at])
	}
	if found.Primary != "nanoseconds" || math.Abs(*found.Score-want) > 1e-9 || want < 0.5 || want > 0.99 {
		t.Errorf("overlap %g of %s, want %g of nanoseconds", *found.Score, found.Primary, want)
	}
	for _, m := range found.Changed.List {
		if share := shareOfFunction(linesA, m.Name); math.Abs(m.ShareA-share) > 1e-9 {
			t.Errorf("%s has %g of A, want %g", m.Name, m.ShareA, share)
		}
	}
}

func parseProfile(t *testing.T, data []byte) *profile.Profile {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A lineOf is a line of a function.
type lineOf struct {
	function string
	line     int64
}

// timeOfLines returns the shares of sampled time per line, without callees.
func timeOfLines(p *profile.Profile) map[lineOf]float64 {
	lines, sum := map[lineOf]float64{}, 0.0
	for _, s := range p.Sample {
		l := s.Location[0].Line[0]
		lines[lineOf{l.Function.Name, l.Line}] += float64(s.Value[1])
		sum += float64(s.Value[1])
	}
	for at := range lines {
		lines[at] /= sum
	}
	return lines
}

func shareOfFunction(lines map[lineOf]float64, name string) (sum float64) {
	for at, share := range lines {
		if at.function == name {
			sum += share
		}
	}
	return sum
}
