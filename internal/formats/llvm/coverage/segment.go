package coverage

import (
	"cmp"
	"container/heap"
	"slices"
)

// A Segment is a position from which a count applies, up to the next segment.
type Segment struct {
	Line     uint32 `json:"line"`   // 1-based
	Column   uint32 `json:"column"` // 1-based, in bytes
	Count    uint64 `json:"count"`
	HasCount bool   `json:"has_count"`     // false where no code is counted
	Entry    bool   `json:"entry"`         // a region begins here; otherwise an outer region continues
	Gap      bool   `json:"gap,omitempty"` // a gap between statements begins here
}

type countedRegion struct {
	region
	n uint64
}

// compareRegion orders regions by position, outer ones first, and then by kind.
func (c countedRegion) compareRegion(d countedRegion) int {
	return cmp.Or(comparePositions(c.start, d.start), comparePositions(d.end, c.end), cmp.Compare(c.kind, d.kind))
}

func comparePositions(p, q position) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// mergeRegions sorts regions and adds the counts of regions with the same bounds, from instantiations of a template or
// uses of a macro. Only regions with the kind of the first one count. If a macro's text is only another macro, an
// expansion and code have the same bounds.
func mergeRegions(list []countedRegion, ones bool) []countedRegion {
	slices.SortStableFunc(list, countedRegion.compareRegion)
	united := list[:0]
	for _, c := range list {
		if n := len(united); n > 0 && united[n-1].start == c.start && united[n-1].end == c.end {
			if last := &united[n-1]; last.kind == c.kind {
				last.n = addCounts(last.n, c.n, ones)
			}
			continue
		}
		united = append(united, c)
	}
	return united
}

// addCounts adds counts. Counts of single-byte coverage are 0 or 1.
func addCounts(a, b uint64, ones bool) uint64 {
	if ones {
		return min(a|b, 1)
	}
	return a + b
}

func segmentsOf(list []countedRegion, ones bool) []Segment {
	b := segmentBuilder{regions: mergeRegions(list, ones)}
	for i := range b.regions {
		b.beginRegion(i)
	}
	b.endRegions(nil)
	return b.segments
}

// A segmentBuilder iterates over regions and tracks the open ones.
type segmentBuilder struct {
	regions  []countedRegion
	segments []Segment
	open     []int    // begun regions in order; the last ones can be closed
	closed   []bool   // closed regions, by index
	ends     endQueue // open regions by their end
}

// beginRegion closes the regions that end at or before the start of region i, and opens region i.
func (b *segmentBuilder) beginRegion(i int) {
	if b.closed == nil {
		b.closed = make([]bool, len(b.regions))
	}
	r := &b.regions[i]
	b.endRegions(&r.start)
	last := i+1 == len(b.regions)
	entry := r.kind != gapRegion
	if r.start == r.end {
		b.beginEmptyRegion(r, entry, last)
		return
	}
	if last || b.regions[i+1].start != r.start {
		b.addSegment(r, r.start, entry, false)
	}
	b.open = append(b.open, i)
	heap.Push(&b.ends, regionEnd{r.end, i})
}

// beginEmptyRegion adds the segment of a region without length, which has the count of the enclosing region.
func (b *segmentBuilder) beginEmptyRegion(r *countedRegion, entry, last bool) {
	skipped := last || r.kind == skippedRegion
	around := b.innermost()
	if around == nil {
		b.addSegment(r, r.start, entry, skipped)
		return
	}
	b.addSegment(around, r.start, entry, skipped)
	if skipped {
		b.addSegment(around, r.start, false, false)
	}
}

// innermost returns the open region that began last, or nil.
func (b *segmentBuilder) innermost() *countedRegion {
	for n := len(b.open); n > 0; n = len(b.open) {
		if i := b.open[n-1]; !b.closed[i] {
			return &b.regions[i]
		}
		b.open = b.open[:n-1]
	}
	return nil
}

// endRegions closes the regions that end at or before until, or all if until is nil. After the end of a region, the
// next one to end continues.
func (b *segmentBuilder) endRegions(until *position) {
	var last *countedRegion
	var from position // where last ended, with all that end there
	for len(b.ends) > 0 && (until == nil || !until.isBefore(b.ends[0].end)) {
		group := b.ends[0].end
		var r *countedRegion
		for len(b.ends) > 0 && b.ends[0].end == group {
			i := heap.Pop(&b.ends).(regionEnd).region
			b.closed[i], r = true, &b.regions[i]
		}
		if last != nil {
			b.addSegment(r, from, false, false)
		}
		last, from = r, group
	}
	if last == nil || until != nil && from == *until {
		return
	}
	if around := b.innermost(); around != nil {
		b.addSegment(around, from, false, false)
	} else {
		b.addSegment(last, from, false, true)
	}
}

// addSegment adds a segment with the count of a region, unless it changes nothing.
func (b *segmentBuilder) addSegment(r *countedRegion, at position, entry, skipped bool) {
	s := Segment{Line: at.line, Column: at.column, HasCount: !skipped && r.kind != skippedRegion, Entry: entry}
	if s.HasCount {
		s.Count = r.n
		s.Gap = r.kind == gapRegion
	}
	if n := len(b.segments); n > 0 && !entry && !skipped {
		last := b.segments[n-1]
		if last.HasCount == s.HasCount && last.Count == r.n && !last.Entry {
			return
		}
	}
	b.segments = append(b.segments, s)
}

// An endQueue is a heap of open regions by end, outermost first for equal ends.
type endQueue []regionEnd

type regionEnd struct {
	end    position
	region int
}

func (q endQueue) Len() int { return len(q) }
func (q endQueue) Less(i, j int) bool {
	return cmp.Or(comparePositions(q[i].end, q[j].end), cmp.Compare(q[i].region, q[j].region)) < 0
}
func (q endQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *endQueue) Push(x any) { *q = append(*q, x.(regionEnd)) }

// Pop implements [heap.Interface].
func (q *endQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
