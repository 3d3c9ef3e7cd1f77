package pages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// sampledRun returns an archive of samples of functions that main called, by name. Others come before them, so that
// the same function has another place in each archive.
func sampledRun(t *testing.T, others int, samples map[string]uint64) *reader.Store {
	b := builder.New(layout.DomainSampled, builder.Config{})
	for i := range others {
		b.Method(layout.Key{Name: fmt.Sprintf("aaa.other%d", i)})
	}
	main := b.Method(layout.Key{Name: "main.main"})
	for _, name := range []string{"main.kept", "main.grown", "main.gone", "main.come"} {
		if n := samples[name]; n > 0 {
			m := b.Method(layout.Key{Name: name})
			p := b.ProfileIn(m, 0, b.Context(m, builder.Frame{Caller: main, Point: 3}))
			p.Count(builder.Count{Point: 1, Sub: layout.SubSamples, N: n})
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return memstore.Open(t, b)
}

// TestStacksOfBothTellWhatChanged compares two archives of the same program, of which B has ten times the samples.
func TestStacksOfBothTellWhatChanged(t *testing.T) {
	t.Parallel()
	a := sampledRun(t, 0, map[string]uint64{"main.kept": 50, "main.grown": 20, "main.gone": 30})
	b := sampledRun(t, 5, map[string]uint64{"main.kept": 500, "main.grown": 400, "main.come": 100})
	site := NewSite(t.Context(), Options{Archive: a, Other: b})
	page := built[*flamePage](t, requestOf(t, site, nameOfStackPair))
	got := map[string]string{}
	sum := 0.0
	for _, box := range page.Boxes {
		var width float64
		fmt.Sscanf(box.Width, "%f%%", &width)
		if box.Y == 2*levelHeight {
			sum += width
		}
		got[box.Label.Head+box.Label.Tail] = box.Width + " " + box.Class + " " + strings.ReplaceAll(box.Title, "\n", "; ")
	}
	want := map[string]string{
		"all":        "100.000% grew by-0 A: 100 samples, 100.0%; B: 1,000 samples, 100.0%; 0.00 percentage points",
		"main.main":  "100.000% grew by-0 main.main; A: 100 samples, 100.0%; B: 1,000 samples, 100.0%; 0.00 percentage points",
		"main.kept":  "50.000% grew by-0 main.kept; A: 50 samples, 50.0%; B: 500 samples, 50.0%; 0.00 percentage points",
		"main.grown": "30.000% grew by-4 main.grown; A: 20 samples, 20.0%; B: 400 samples, 40.0%; ▲ 20.00 percentage points",
		"main.gone":  "15.000% shrank by-4 main.gone; A: 30 samples, 30.0%; B: 0 samples, 0.0%; ▼ 30.00 percentage points",
		"main.come":  "5.000% grew by-4 main.come; A: 0 samples, 0.0%; B: 100 samples, 10.0%; ▲ 10.00 percentage points",
	}
	if diff := cmp.Diff(want, got); diff != "" || sum < 99.99 || sum > 100.01 {
		t.Error(sum, diff)
	}
	var names []string
	for _, row := range page.Methods.Rows {
		names = append(names, row[0].Link.Text+" "+row[1].Link.Text)
	}
	if want := "main.gone ▼ 30.0"; len(names) != 5 || names[0] != want {
		t.Errorf("%d rows, the first is %q, want %q", len(names), names, want)
	}
	zoomed := shownPageOf(t, site, nameOfStackPair, page.Boxes[1].Link.query)
	if !strings.Contains(zoomed, "main.gone") {
		t.Error("the graph below main.main does not have what main called")
	}
}

// TestPairsKeepTheTotalsOfBothSides pairs trees with themselves: both sides have what the tree has.
func TestPairsKeepTheTotalsOfBothSides(t *testing.T) {
	t.Parallel()
	eachStacks(t, "samples", func(name string, site *Site, tree *flame.Tree) {
		p := flame.NewPair(tree, tree, func(_ int, frame uint32) uint32 { return frame })
		for i, sides := range p.Sides {
			if sides != [2]uint64{tree.Nodes[i].Total, tree.Nodes[i].Total} || p.Change(i) != 0 {
				t.Errorf("%s: node %d has %v, its tree %d", name, i, sides, tree.Nodes[i].Total)
			}
		}
	})
}

// Differences that two short runs of one program have by chance are not coloured.
func TestNoiseHasNoColour(t *testing.T) {
	t.Parallel()
	a := sampledRun(t, 0, map[string]uint64{"main.kept": 50, "main.grown": 20, "main.gone": 30})
	for factor, coloured := range map[uint64]bool{1: false, 100: true} {
		b := sampledRun(t, 5, map[string]uint64{"main.kept": 45 * factor, "main.grown": 26 * factor, "main.gone": 29})
		site := NewSite(t.Context(), Options{Archive: a, Other: b})
		page := built[*flamePage](t, requestOf(t, site, nameOfStackPair))
		got := false
		for _, box := range page.Boxes {
			got = got || !strings.HasSuffix(box.Class, "by-0")
		}
		for _, row := range page.Methods.Rows {
			got = got || row[1].Class != ""
		}
		if got != coloured {
			t.Errorf("with %d times the samples in B, colours %v, want %v", factor, got, coloured)
		}
		diff := shown(t, requestOf(t, site, nameOfDiff))
		noted := strings.Contains(diff, "Within the sampling error")
		if noted == coloured || !strings.Contains(diff, " to 100) ") != coloured {
			t.Errorf("with %d times the samples in B: %s", factor, diff)
		}
	}
}
