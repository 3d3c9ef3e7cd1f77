package facts

import (
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/reader"
)

func CountersOf(q reader.Profile) []uint64 {
	counters := []uint64{}
	for _, at := range analyze.Trained(q) {
		if at.RowNoun != "counters" {
			continue
		}
		for _, o := range at.Outcomes {
			counters = append(counters, o.Count)
		}
	}
	return counters
}
