package main

import (
	"runtime"
	"strings"

	"github.com/profarc/profarc/bench/report"
	"github.com/profarc/profarc/internal/format/cputime"
	"github.com/profarc/profarc/internal/paired"
)

// groupSize is the number of dependent lookups that are timed together. One alone takes less than the clock.
const groupSize = 32

// addTails measures how the time of dependent lookups is distributed.
func (t table) addTails(f *field, rounds int, result *report.Table) {
	if !strings.HasSuffix(t.title, ", dependent") {
		return
	}
	share, clock := min(100_000, f.n/len(t.contenders)), clockCost()
	values := make([][]float64, len(t.contenders))
	for range rounds {
		for i, c := range t.contenders {
			q := f.query(share)
			for range max(1, 20_000/share) {
				values[i] = appendGroups(values[i], f, c, q, clock)
			}
		}
	}
	for i := range t.contenders {
		result.Rows[i].Tail = report.TailOf(values[i])
	}
}

// appendGroups appends the nanoseconds of a lookup in each group, without the time of the clock.
func appendGroups(values []float64, f *field, c contender, q *query, clock float64) []float64 {
	for from := 0; from+groupSize <= len(q.ids); from += groupSize {
		values = append(values, max(0, timeGroup(f, c, q.part(from, from+groupSize))-clock/groupSize))
	}
	return values
}

func timeGroup(f *field, c contender, q *query) float64 {
	begin := cputime.Thread()
	runtime.KeepAlive(c.look(f, q))
	return float64(cputime.Thread()-begin) / groupSize
}

// clockCost returns the cost of reading the clock twice.
func clockCost() float64 {
	var costs []float64
	for range 1000 {
		begin := cputime.Thread()
		costs = append(costs, float64(cputime.Thread()-begin))
	}
	return paired.Median(costs)
}

func (q *query) part(from, to int) *query {
	return &query{q.ids[from:to], q.keys[from:to], q.texts[from:to], q.places[from:to]}
}
