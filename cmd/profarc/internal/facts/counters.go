package facts

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// CountersOf returns the counters of one of LLVM's profiles, in their order.
func CountersOf(q reader.Profile) []uint64 {
	counters := []uint64{}
	for e := range q.Entries() {
		if rows, ok := e.Rows(); ok && e.Tag() == layout.TagCounters {
			for i := range rows.Len() {
				counters = append(counters, rows.Cell(i, 0).Load())
			}
		}
	}
	return counters
}
