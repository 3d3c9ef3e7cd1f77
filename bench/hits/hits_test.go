package main

import (
	"slices"
	"testing"

	"github.com/profarc/profarc/bench/ratios"
)

// TestReportHasAllTables: one round finds its keys, in archives of both shapes,
// and leaves a report with all tables, rows and goals.
func TestReportHasAllTables(t *testing.T) {
	for shape := range shapes {
		dir := t.TempDir()
		if err := run(options{sizes: "600,1000", rounds: 1, dir: dir, shape: shape, out: dir}); err != nil {
			t.Fatal(err)
		}
		r, err := ratios.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"size"}
		for _, each := range tables() {
			want = append(want, each.title)
		}
		if len(r.Tables) != 2*len(want) {
			t.Errorf("%s: %d tables, want two of each of %q", shape, len(r.Tables), want)
		}
		for _, each := range r.Tables {
			if !slices.Contains(want, each.Title) {
				t.Errorf("%s: table %q", shape, each.Title)
			}
		}
	}
}

// TestGoalsAreOfRows: each goal names a table, a row and a contender that there are.
func TestGoalsAreOfRows(t *testing.T) {
	t.Parallel()
	rows := map[string][]string{"size": {"index"}}
	for _, each := range tables() {
		for _, c := range each.contenders {
			rows[each.title] = append(rows[each.title], c.name)
		}
	}
	for _, g := range goals {
		if !slices.Contains(rows[g.title], g.row) || g.against != "" && !slices.Contains(rows[g.title], g.against) {
			t.Errorf("no such rows: %+v", g)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	table := ratios.Table{Title: "id, dependent", Methods: 1_000_000,
		Rows: []ratios.Row{{Name: "floor", Value: 10}, {Name: "ProfileID", Value: 12}, {Name: "map[uint64]", Value: 20}}}
	setRatios(&table, [][]float64{{10, 10, 20}, {12, 12, 30}, {20, 20, 60}})
	hit := table.Rows[1]
	if hit.Ratio != 0.6 || len(hit.Goals) != 1 ||
		hit.Goals[0] != (ratios.Goal{Against: "floor", Limit: 1.1, Ratio: 1.2}) || hit.Goals[0].Met() {
		t.Errorf("row %+v", hit)
	}
}
