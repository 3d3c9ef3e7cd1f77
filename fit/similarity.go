package fit

import "slices"

// A side is one of two sequences that are aligned.
type side struct {
	points        []Point
	before, after []int // bytes to the point before and behind, or to the end of the code; -1 if not known
}

func newSide(points []Point, size int) side {
	s := side{points, make([]int, len(points)), make([]int, len(points))}
	last := 0
	for i, p := range points {
		s.before[i] = int(p.Bci) - last
		last = int(p.Bci)
		switch {
		case i+1 < len(points):
			s.after[i] = int(points[i+1].Bci) - last
		case size > 0:
			s.after[i] = size - last
		default:
			s.after[i] = -1
		}
	}
	return s
}

// Weights of the features of a pair.
const (
	weighKind      = 1.0
	weighDistance  = 1.0 // to a neighbour
	weighDirection = 1.0
	weighReach     = 1.0 // points that a branch goes over
	weighCases     = 2.0
	weighWhat      = 3.0
	weighAround    = 2.0
	weighStart     = 3.0 // nothing has changed from the start of the code to the point
)

// leastAlike is the share of features that must agree for two points to be
// paired at all.
const leastAlike = 0.45

// unchanged is the number of points that begin both sequences, and up to which
// the code is the same, as far as it is known: an edit changes what comes behind
// its place, and what it brings may be as like an old point as that is itself.
func unchanged(a, b *side) (n int) {
	for n < min(len(a.points), len(b.points)) && a.before[n] == b.before[n] && sameStart(&a.points[n], &b.points[n]) {
		n++
	}
	return n
}

// sameStart reports whether two points, and the bytecodes before them, are the
// same.
func sameStart(p, q *Point) bool {
	known := p.What != 0 && q.What != 0
	if p.Kind != q.Kind || known && p.What != q.What {
		return false
	}
	before := len(p.Around) / 2
	return !known || len(p.Around) == len(q.Around) && slices.Equal(p.Around[:before], q.Around[:before])
}

// similarity is the sum of the features of a pair that agree, and what it could
// be; 0 if the two cannot be the same. Of both sequences, so many points at their
// starts are unchanged.
func similarity(a, b *side, i, j, unchanged int) (sum, most float64) {
	p, q := &a.points[i], &b.points[j]
	if p.Kind != q.Kind {
		return 0, 1
	}
	f := features{sum: weighKind, most: weighKind}
	f.add(weighDistance, near(a.before[i], b.before[j]))
	if a.after[i] >= 0 && b.after[j] >= 0 {
		f.add(weighDistance, near(a.after[i], b.after[j]))
	}
	switch p.Kind {
	case Jump, Branch:
		f.branch(i, j, p.Targets, q.Targets)
	case Switch:
		f.add(weighCases, ratio(len(p.Targets), len(q.Targets)))
	}
	if p.What != 0 && q.What != 0 {
		f.add(weighWhat, equal(p.What == q.What))
		f.add(weighAround, agreement(p.Around, q.Around))
	}
	if min(i, j) < unchanged {
		f.add(weighStart, equal(i == j))
	}
	if f.sum < leastAlike*f.most {
		return 0, f.most
	}
	return f.sum, f.most
}

// features adds features up.
type features struct{ sum, most float64 }

func (f *features) add(weight, agreement float64) {
	f.sum += weight * agreement
	f.most += weight
}

// branch adds where a branch goes.
func (f *features) branch(i, j int, a, b []int32) {
	if len(a) != 1 || len(b) != 1 || a[0] < 0 || b[0] < 0 {
		return
	}
	f.add(weighDirection, equal(back(i, a[0]) == back(j, b[0])))
	switch d := int(a[0]) - i - (int(b[0]) - j); {
	case d == 0:
		f.add(weighReach, 1)
	case d == 1 || d == -1:
		f.add(weighReach, 0.5)
	default:
		f.add(weighReach, 0)
	}
}

func equal(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// near compares distances: an index or constant that needs a wider bytecode
// makes a difference of one or two.
func near(a, b int) float64 {
	switch d := a - b; {
	case d == 0:
		return 1
	case d >= -2 && d <= 2:
		return 0.4
	}
	return 0
}

// ratio compares numbers of cases.
func ratio(a, b int) float64 {
	return float64(min(a, b)) / float64(max(a, b, 1))
}

// agreement is the share of what stands around two points that is the same.
func agreement(a, b []uint64) float64 {
	n := min(len(a), len(b))
	if n == 0 {
		return 0
	}
	same := 0
	for k := range n {
		if a[k] == b[k] {
			same++
		}
	}
	return float64(same) / float64(n)
}
