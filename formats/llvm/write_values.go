package llvm

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/disk"
)

// maxSiteValues is how many values of a site LLVM keeps: their number is
// written as one byte.
const maxSiteValues = 255

// A siteValue is a value seen at a site, and how often.
type siteValue struct{ value, count uint64 }

// appendSiteValues appends the values of a site as LLVM orders them: the most
// frequent first, those of one count as they came.
func appendSiteValues(values []siteValue, site disk.Entry) []siteValue {
	first := len(values)
	for i := range site.Rows() {
		values = append(values, siteValue{site.Cell(2 * i), site.Cell(2*i + 1)})
	}
	of := values[first:]
	byCount := func(a, b siteValue) int { return cmp.Compare(b.count, a.count) }
	if !slices.IsSortedFunc(of, byCount) {
		slices.SortStableFunc(of, byCount)
	}
	return values[:first+min(len(of), maxSiteValues)]
}

// writtenValues is how many values of a site are written.
func writtenValues(site disk.Entry) int { return min(site.Rows(), maxSiteValues) }
