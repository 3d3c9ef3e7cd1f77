package coverage

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A slowBuilder makes segments as segmentBuilder does, with a list of open regions that it
// goes through again and again.
type slowBuilder struct {
	segments []Segment
	open     []countedRegion
}

func slowSegments(list []countedRegion) []Segment {
	list = mergeRegions(slices.Clone(list), false)
	b := &slowBuilder{}
	for i, r := range list {
		b.closeUntil(r.start)
		last, entry := i == len(list)-1, r.kind != gapRegion
		switch {
		case r.start == r.end:
			b.empty(r, entry, last || r.kind == skippedRegion)
			continue
		case last || list[i+1].start != r.start:
			b.add(r, r.start, entry, true)
		}
		b.open = append(b.open, r)
	}
	if len(b.open) > 0 {
		b.closeAll(b.open, nil)
	}
	return b.segments
}

func (b *slowBuilder) empty(r countedRegion, entry, skipped bool) {
	if len(b.open) == 0 {
		b.add(r, r.start, entry, !skipped)
		return
	}
	around := b.open[len(b.open)-1]
	b.add(around, r.start, entry, !skipped)
	if skipped {
		b.add(around, r.start, false, true)
	}
}

// closeUntil closes the regions that end at a place or before it.
func (b *slowBuilder) closeUntil(at position) {
	var done, left []countedRegion
	for _, r := range b.open {
		if at.isBefore(r.end) {
			left = append(left, r)
		} else {
			done = append(done, r)
		}
	}
	if b.open = left; len(done) > 0 {
		b.closeAll(done, &at)
	}
}

// closeAll adds the segments at the ends of regions.
func (b *slowBuilder) closeAll(done []countedRegion, until *position) {
	slices.SortStableFunc(done, func(x, y countedRegion) int { return comparePositions(x.end, y.end) })
	for i := 1; i < len(done); i++ {
		if done[i-1].end == done[i].end {
			continue
		}
		next := done[i]
		for _, r := range done[i:] {
			if r.end == next.end {
				next = r
			}
		}
		b.add(next, done[i-1].end, false, true)
	}
	last := done[len(done)-1]
	switch {
	case until != nil && last.end == *until:
	case until != nil && len(b.open) > 0:
		b.add(b.open[len(b.open)-1], last.end, false, true)
	default:
		b.add(last, last.end, false, false)
	}
}

func (b *slowBuilder) add(r countedRegion, at position, entry, hasCount bool) {
	s := Segment{Line: at.line, Column: at.column, Entry: entry}
	if hasCount && r.kind != skippedRegion {
		s.HasCount, s.Count, s.Gap = true, r.n, r.kind == gapRegion
	}
	if n := len(b.segments); n > 0 && !entry && hasCount {
		if last := b.segments[n-1]; !last.Entry && last.HasCount == s.HasCount && last.Count == r.n {
			return
		}
	}
	b.segments = append(b.segments, s)
}

// TestSegmentsOfRandomRegions: regions may lie in each other, beside each other or across.
func TestSegmentsOfRandomRegions(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(17, 4))
	for round := range 5_000 {
		list := make([]countedRegion, rng.IntN(12))
		for i := range list {
			start := position{1 + rng.Uint32N(5), 1 + rng.Uint32N(4)}
			end := position{start.line + rng.Uint32N(3), 1 + rng.Uint32N(5)}
			if end.isBefore(start) {
				end = start
			}
			list[i] = countedRegion{region{kind: regionKind(rng.IntN(4)), start: start, end: end}, rng.Uint64N(4)}
		}
		want := slowSegments(list)
		if diff := cmp.Diff(want, segmentsOf(slices.Clone(list), false)); diff != "" {
			t.Fatalf("round %d: %+v:\n%s", round, list, diff)
		}
	}
}
