package coverage

import (
	"cmp"
	"container/heap"
	"slices"
)

// A Segment is a place from which on a count applies, until the next segment.
type Segment struct {
	Line     uint32 `json:"line"`   // from 1
	Column   uint32 `json:"column"` // in bytes, from 1
	Count    uint64 `json:"count"`
	HasCount bool   `json:"has_count"`     // false: from here on no code is counted
	Entry    bool   `json:"entry"`         // a region begins here; else an outer region goes on
	Gap      bool   `json:"gap,omitempty"` // what begins here is between statements
}

// A counted is a region with the count of its counter.
type counted struct {
	region
	n uint64
}

// order sorts regions by position, outer ones first, and of regions in one place the one which
// is more of code first.
func (c counted) order(d counted) int {
	return cmp.Or(comparePositions(c.start, d.start), comparePositions(d.end, c.end), cmp.Compare(c.kind, d.kind))
}

func comparePositions(p, q position) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// unite sorts regions and sums regions of one place, as instantiations of one template are, or
// uses of one macro. Only regions of the first one's kind count: where a macro is all of
// another macro's text, its expansion and its code are in one place.
func unite(list []counted, ones bool) []counted {
	slices.SortStableFunc(list, counted.order)
	united := list[:0]
	for _, c := range list {
		if n := len(united); n > 0 && united[n-1].start == c.start && united[n-1].end == c.end {
			if last := &united[n-1]; last.kind == c.kind {
				last.n = add(last.n, c.n, ones)
			}
			continue
		}
		united = append(united, c)
	}
	return united
}

// add adds counts. Those of coverage by single bytes are 0 or 1.
func add(a, b uint64, ones bool) uint64 {
	if ones {
		return min(a|b, 1)
	}
	return a + b
}

// segmentsOf returns the segments of the regions of one file, by position.
func segmentsOf(list []counted, ones bool) []Segment {
	b := segmentBuilder{regions: unite(list, ones)}
	for i := range b.regions {
		b.begin(i)
	}
	b.end(nil)
	return b.segments
}

// A segmentBuilder goes through regions and knows those that are open.
type segmentBuilder struct {
	regions  []counted
	segments []Segment
	open     []int    // regions that were begun, in this order; some at the end may be closed
	closed   []bool   // by region
	ends     endQueue // the open ones by their end
}

// begin opens region i, and closes before it those that end where it begins or earlier.
func (b *segmentBuilder) begin(i int) {
	if b.closed == nil {
		b.closed = make([]bool, len(b.regions))
	}
	r := &b.regions[i]
	b.end(&r.start)
	last := i+1 == len(b.regions)
	entry := r.kind != gapRegion
	if r.start == r.end {
		b.beginEmpty(r, entry, last)
		return
	}
	if last || b.regions[i+1].start != r.start {
		b.add(r, r.start, entry, false)
	}
	b.open = append(b.open, i)
	heap.Push(&b.ends, endOf{r.end, i})
}

// beginEmpty adds the segment of a region of no length. It has the count of the region around it.
func (b *segmentBuilder) beginEmpty(r *counted, entry, last bool) {
	skipped := last || r.kind == skippedRegion
	around := b.innermost()
	if around == nil {
		b.add(r, r.start, entry, skipped)
		return
	}
	b.add(around, r.start, entry, skipped)
	if skipped {
		b.add(around, r.start, false, false)
	}
}

// innermost returns the open region that was begun last, or nil.
func (b *segmentBuilder) innermost() *counted {
	for n := len(b.open); n > 0; n = len(b.open) {
		if i := b.open[n-1]; !b.closed[i] {
			return &b.regions[i]
		}
		b.open = b.open[:n-1]
	}
	return nil
}

// end closes the regions that end at a place or before it; all if the place is nil. Where
// one ends before the place, the next one to end goes on.
func (b *segmentBuilder) end(until *position) {
	var last *counted
	var from position // where last ended, with all that end there
	for len(b.ends) > 0 && (until == nil || !until.before(b.ends[0].end)) {
		group := b.ends[0].end
		var r *counted
		for len(b.ends) > 0 && b.ends[0].end == group {
			i := heap.Pop(&b.ends).(endOf).region
			b.closed[i], r = true, &b.regions[i]
		}
		if last != nil {
			b.add(r, from, false, false)
		}
		last, from = r, group
	}
	if last == nil || until != nil && from == *until {
		return
	}
	if around := b.innermost(); around != nil {
		b.add(around, from, false, false)
	} else {
		b.add(last, from, false, true)
	}
}

// add adds a segment with the count of a region, unless nothing changes there.
func (b *segmentBuilder) add(r *counted, at position, entry, skipped bool) {
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

// An endQueue is a heap of open regions, those that end first and of these the outermost before the others.
type endQueue []endOf

type endOf struct {
	end    position
	region int
}

func (q endQueue) Len() int { return len(q) }
func (q endQueue) Less(i, j int) bool {
	return cmp.Or(comparePositions(q[i].end, q[j].end), cmp.Compare(q[i].region, q[j].region)) < 0
}
func (q endQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *endQueue) Push(x any) { *q = append(*q, x.(endOf)) }

// Pop implements [heap.Interface].
func (q *endQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
