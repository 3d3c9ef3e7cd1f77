package fit

import "slices"

// An alignment says which point of the new code each point of the old has
// become.
type alignment struct {
	to         []int     // -1 for none
	confidence []float64 // of each pair, from 0 to 1
	lost       []Loss    // why a point has no partner
	tooLarge   bool      // there are too many points to align
}

// maxPairs bounds time and memory: no method of a JVM comes near it.
const maxPairs = 1 << 22

// A matcher finds out which points are the same.
type matcher struct {
	a, b       *side
	to, from   []int // partners, -1 for none
	confidence []float64
	ambiguous  []bool
	halted     func() error // not nil once nobody waits for the answer
}

// rounds is how often what is left over is aligned: code that has changed its
// place is found when the rest has been.
const rounds = 4

// align finds out which point of the new code each point of the old has become.
// Where halted gives an error it says nothing.
func align(a, b *side, halted func() error) alignment {
	n := len(a.points)
	out := alignment{lost: make([]Loss, n), tooLarge: n*len(b.points) > maxPairs}
	m := &matcher{a: a, b: b, to: slices.Repeat([]int{-1}, n), from: slices.Repeat([]int{-1}, len(b.points)),
		confidence: make([]float64, n), ambiguous: make([]bool, n), halted: halted}
	if !out.tooLarge {
		for range rounds {
			m.round(same)
		}
		m.round(alike)
		m.jumps()
	}
	out.to, out.confidence = m.to, m.confidence
	for i := range out.lost {
		out.lost[i] = m.loss(i, out.tooLarge)
	}
	return out
}

// round aligns the points that have no partner yet and may be the same.
func (m *matcher) round(mayBe func(p, q *Point) bool) {
	g := newGrid(m, mayBe)
	if g == nil {
		return
	}
	type pair struct{ i, j int }
	var pairs []pair
	g.best(func(i, j int) {
		if g.certain(i, j) {
			pairs = append(pairs, pair{g.rows[i], g.columns[j]})
		} else {
			m.ambiguous[g.rows[i]] = true
		}
	})
	confidence := make([]float64, len(pairs)) // before any of them is a partner
	for k, p := range pairs {
		confidence[k] = m.resemblance(p.i, p.j).confidence()
	}
	for k, p := range pairs {
		m.to[p.i], m.from[p.j], m.confidence[p.i], m.ambiguous[p.i] = p.j, p.i, confidence[k], false
	}
}

// loss says why a point has no partner.
func (m *matcher) loss(i int, tooLarge bool) Loss {
	switch p := &m.a.points[i]; {
	case m.to[i] >= 0:
		return ""
	case tooLarge:
		return LostSize
	case p.Kind.Sketched() && !p.known():
		return LostUnknown
	case m.ambiguous[i]:
		return LostAmbiguous
	case !p.Kind.Sketched():
		return LostAround
	}
	return LostOther
}
