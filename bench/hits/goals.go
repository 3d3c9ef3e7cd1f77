package main

import (
	"math"
	"strings"

	"github.com/profarc/profarc/bench/ratios"
)

// A goal is a limit for the ratio of the row to another row for from to to methods. If against is "", it is a limit for
// the value.
type goal struct {
	title, row, against string
	from, to            int
	limit               float64
}

const (
	tiny  = 20_000 // methods whose profiles fit in the caches
	large = 500_000
	huge  = 5_000_000
	more  = math.MaxInt
)

var goals = []goal{
	{"id, dependent", "ProfileID", "floor", large, more, 1.1},
	{"id, independent", "ProfileID", "map[uint64]", 0, tiny, 1},
	{"id, independent", "ProfileID", "map[uint64]", large, huge, 0.55},
	{"id, independent", "ProfileID", "map[uint64]", huge, more, 0.65},
	{"id, independent", "ProfileIDBatch", "map[uint64]", large, more, 0.45},
	{"id, missing", "ProfileID", "map[uint64]", large, more, 0.5},
	{"key, dependent", "Profile", "map[Key]", large, huge, 0.9},
	{"key, dependent", "Profile", "map[Key]", 0, 1000, 2},
	{"key, independent", "Profile", "map[Key]", 0, 1000, 2},
	{"key, independent", "Profile", "map[Key]", large, huge, 1},
	{"key, independent", "Profile", "map[string]", large, huge, 1.2},
	{"key, independent", "ProfileBatch", "map[Key]", large, huge, 0.5},
	{"key, missing", "Profile", "map[Key]", large, huge, 0.8},
	{"size", "index", "", 0, more, 13},
}

// setRatios sets the ratios and goals of a table. A ratio is the median over the rounds, because the machine changes
// between rounds.
func setRatios(t *ratios.Table, costs [][]float64) {
	places := make(map[string]int)
	for i, r := range t.Rows {
		places[r.Name] = i
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if base, ok := places[baseOf(*t, r.Name)]; ok {
			r.Ratio = ratios.MedianRatio(costs[i], costs[base])
		}
		for _, g := range goals {
			if g.title == t.Title && g.row == r.Name && g.from <= t.Methods && t.Methods <= g.to {
				r.Goals = append(r.Goals, ratios.Goal{Against: g.against, Limit: g.limit, Ratio: r.Value})
				if other, ok := places[g.against]; ok {
					r.Goals[len(r.Goals)-1].Ratio = ratios.MedianRatio(costs[i], costs[other])
				}
			}
		}
	}
}

// baseOf returns the base for the ratio of a row, which is the same contender without checks, or the first map.
func baseOf(t ratios.Table, row string) string {
	for _, r := range t.Rows {
		if r.Name == row+", no checks" || strings.HasPrefix(r.Name, "map") {
			return r.Name
		}
	}
	return ""
}
