package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
)

type samplePoint struct {
	kind  kind
	point int32
}

// countsSamples reports whether counts of a kind are compared by method and point over all contexts. Two runs share few
// whole stacks, so a comparison by context would show little but chance.
func (k kind) countsSamples() bool { return k == kindSamples || k == kindNanoseconds }

type samples map[samplePoint]uint64

func (s samples) addSiteSamples(t *site) (sum float64) {
	at := samplePoint{t.kind, t.point}
	for _, c := range t.cells {
		s[at] = disk.SaturatingAdd(s[at], c.count)
		sum += float64(c.count)
	}
	return sum
}

// sortedPoints returns the points in a reproducible order for floating-point totals.
func (s samples) sortedPoints() []samplePoint {
	return slices.SortedFunc(maps.Keys(s), func(a, b samplePoint) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.point, b.point))
	})
}

func (o *methodOverlap) addSampleOverlap() {
	a := o.c.profilesA.samples
	b := o.c.profilesB.samples
	for _, at := range a.sortedPoints() {
		o.addOverlap(at.kind, a[at], b[at])
	}
}
