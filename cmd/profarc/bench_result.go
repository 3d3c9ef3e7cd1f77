package main

import (
	"slices"
)

// A result is one thing that was measured, with the Go map beside it if there
// is one.
type result struct {
	Name     string  `json:"name"`
	Rounds   int     `json:"rounds"`
	MedianNS float64 `json:"median_ns"`
	BestNS   float64 `json:"best_ns"`
	MapNS    float64 `json:"map_ns,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"` // median to the map's
}

// samples are times in nanoseconds, one a round.
type samples []float64

func (s samples) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[len(sorted)/2]
}

func (s samples) result(name string) result {
	best := 0.0
	if len(s) > 0 {
		best = slices.Min(s)
	}
	return result{Name: name, Rounds: len(s), MedianNS: s.median(), BestNS: best}
}

func (b *bench) add(r result) { b.report.Results = append(b.report.Results, r) }
