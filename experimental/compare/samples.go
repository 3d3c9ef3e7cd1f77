package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
)

// A samplePoint is where samples of one kind were taken in a method.
type samplePoint struct {
	kind  kind
	point int32
}

// ofSamples reports whether counts of a kind are compared by method and point, in whatever context. Two runs share
// few whole stacks, so that by contexts they would differ in little else than chance.
func (k kind) ofSamples() bool { return k == kindSamples || k == kindNanoseconds }

// samples are the samples of a method.
type samples map[samplePoint]uint64

// addSite adds the samples of a site, and returns their sum.
func (s samples) addSite(t *site) (sum float64) {
	at := samplePoint{t.kind, t.point}
	for _, c := range t.cells {
		s[at] = disk.SaturatingAdd(s[at], c.count)
		sum += float64(c.count)
	}
	return sum
}

// inOrder returns the points in an order that is the same in each comparison, as floating-point sums need it.
func (s samples) inOrder() []samplePoint {
	return slices.SortedFunc(maps.Keys(s), func(a, b samplePoint) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.point, b.point))
	})
}

// addSamples adds the overlap of the samples of the method.
func (o *overlapping) addSamples() {
	a := o.c.profilesA.samples
	b := o.c.profilesB.samples
	for _, at := range a.inOrder() {
		o.addOverlap(at.kind, a[at], b[at])
	}
}
