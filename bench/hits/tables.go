package main

import (
	"fmt"
	"runtime"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench/ratios"
	"github.com/profarc/profarc/internal/cli/paired"
	"github.com/profarc/profarc/internal/system/cputime"
)

// A contender looks up all methods of a query and returns the total of their counters.
type contender struct {
	name string
	look func(f *field, q *query) uint64
}

// A table compares contenders.
type table struct {
	title      string
	contenders []contender
	missing    bool
	cold       bool // turns must not be repeated
	note       string
}

func tables() []table {
	return []table{
		{title: "id, dependent", note: floorNote,
			contenders: []contender{{"floor", floorDependent}, {"ProfileID", lookupDependent},
				{"map[uint64]", mapDependent}}},
		{title: "id, independent", contenders: []contender{{"floor", floorIndependent}, {"ProfileID", lookupIndependent},
			{"ProfileIDBatch", lookupBatches}, {"map[uint64]", mapIndependent}}},
		{title: "id, missing", missing: true,
			contenders: []contender{{"ProfileID", lookupIndependent}, {"ProfileIDBatch", lookupBatches},
				{"map[uint64]", mapIndependent}}},
		{title: "key, dependent", contenders: []contender{{"Profile", findDependent}, {"map[Key]", keyMapDependent},
			{"map[string]", textMapDependent}}},
		{title: "key, independent", note: keyFloorNote,
			contenders: []contender{{"floor", floorOfKeys}, {"Profile", findIndependent}, {"ProfileBatch", findBatches},
				{"map[Key]", keyMapIndependent}, {"map[string]", textMapIndependent}}},
		{title: "key, missing", missing: true,
			contenders: []contender{{"Profile", findIndependent}, {"ProfileBatch", findBatches},
				{"map[Key]", keyMapIndependent}, {"map[string]", textMapIndependent}}},
		{title: "checks", note: checksNote,
			contenders: []contender{{"id", lookupIndependent}, {"id, no checks", withoutChecks(lookupIndependent)},
				{"key", findIndependent}, {"key, no checks", withoutChecks(findIndependent)}}},
		{title: "checks at first access", note: firstNote, cold: true,
			contenders: []contender{{"id", withNewStore(archive.Options{})},
				{"id, no checks", withNewStore(archive.Options{Unchecked: true})}}},
	}
}

const (
	floorNote = "The floor is two random reads, of which the second waits for the first: of the line of the index and " +
		"of the counter."
	keyFloorNote = "The floor hashes the key and makes three dependent reads, without comparing anything: of the line " +
		"of the index, of the references in the profile, and of the strings that they lead to."
	checksNote = "Ratios are to the same without checks of sums. Both stores have met every method before, as in all " +
		"tables but the next."
	firstNote = "Open the archive and look each method up once: with the page faults of a new mapping. Ratios are to " +
		"the same without checks of sums."
)

// measure lets the contenders take turns.
func (t table) measure(f *field, rounds int) (ratios.Table, error) {
	share := min(100_000, f.n/len(t.contenders))
	repeats := max(1, 20_000/share)
	if t.cold {
		repeats = 1
	}
	g := newGuard(rounds)
	for _, c := range t.contenders {
		g.Turns = append(g.Turns, func() (float64, error) {
			q := f.nextQuery(share)
			if t.missing {
				q.makeMissing()
			}
			return t.timeTurn(f, c, q, repeats)
		})
	}
	costs, noise, err := g.Run()
	if err != nil {
		return ratios.Table{}, err
	}
	return t.newResult(f, costs, noise), nil
}

// timeTurn returns the nanoseconds of a lookup.
func (t table) timeTurn(f *field, c contender, q *query, repeats int) (float64, error) {
	if repeats > 1 { // warm up the caches
		c.look(f, q)
	}
	begin := cputime.ThreadTime()
	sum := uint64(0)
	for range repeats {
		sum += c.look(f, q)
	}
	cost := float64(cputime.ThreadTime()-begin) / float64(len(q.ids)*repeats)
	want := uint64(len(q.ids)*repeats) * counted
	if t.missing {
		want = 0
	}
	if sum != want {
		return 0, fmt.Errorf("%s, %s: counters sum to %d, want %d", t.title, c.name, sum, want)
	}
	return cost, nil
}

func (t table) newResult(f *field, costs [][]float64, noise ratios.Noise) ratios.Table {
	result := ratios.Table{Title: t.title, Methods: f.n, Note: t.note, Noise: noise}
	for i, c := range t.contenders {
		result.Rows = append(result.Rows, ratios.Row{Name: c.name, Value: paired.Median(costs[i])})
	}
	setRatios(&result, costs)
	return result
}

// newGuard returns a guard without turns.
func newGuard(rounds int) ratios.Guard {
	return ratios.Guard{Rounds: rounds, Loop: ratios.FixedLoop, Round: func(round int) {
		if round%6 == 5 { // a collection takes longer than a round
			runtime.GC()
		}
	}}
}
