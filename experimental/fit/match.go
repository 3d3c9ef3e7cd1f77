package fit

import (
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
)

// An alignment maps the points of the old code to points of the new code.
type alignment struct {
	to         []int     // -1 for none
	confidence []float64 // of each pair, from 0 to 1
	lost       []string  // why a point has no partner
	tooLarge   bool      // there are too many points to align
}

// maxPairs bounds time and memory: no method of a JVM comes near it.
const maxPairs = 1 << 22

// A matcher aligns two sides.
type matcher struct {
	a, b       *side
	to, from   []int // partners, -1 for none
	confidence []float64
	ambiguous  []bool
	halted     func() error // returns an error once the check is cancelled
}

// rounds is how often the remaining points are aligned: moved code is found once the rest has been.
const rounds = 4

// align aligns the points of the old code with the points of the new code. The result is
// incomplete if halted returns an error.
func align(a, b *side, halted func() error) alignment {
	n := len(a.points)
	out := alignment{lost: make([]string, n), tooLarge: n*len(b.points) > maxPairs}
	m := &matcher{a: a, b: b, to: slices.Repeat([]int{-1}, n), from: slices.Repeat([]int{-1}, len(b.points)),
		confidence: make([]float64, n), ambiguous: make([]bool, n), halted: halted}
	if !out.tooLarge {
		for range rounds {
			m.round(same)
		}
		m.round(alike)
		m.jumps()
	}
	out.to = m.to
	out.confidence = m.confidence
	for i := range out.lost {
		out.lost[i] = m.loss(i, out.tooLarge)
	}
	return out
}

// round aligns the points without a partner that may be the same.
func (m *matcher) round(mayBe func(p, q *methodcode.Point) bool) {
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

// loss returns why a point has no partner, empty if it has one.
func (m *matcher) loss(i int, tooLarge bool) string {
	switch p := &m.a.points[i]; {
	case m.to[i] >= 0:
		return ""
	case tooLarge:
		return lostSize
	case p.Kind.Sketched() && !p.Known():
		return LostUnknown
	case m.ambiguous[i]:
		return lostAmbiguous
	case !p.Kind.Sketched():
		return lostAround
	}
	return lostOther
}

// same reports whether two points do the same with the same operands, whatever is around them.
func same(p, q *methodcode.Point) bool {
	return alike(p, q) && p.FormerSketch().Operands == q.FormerSketch().Operands
}

// alike reports whether two points are of the same bytecode with the same names.
// Branches may have opposite senses.
func alike(p, q *methodcode.Point) bool {
	return p.Kind == q.Kind && p.Known() && p.FormerSketch().What == q.FormerSketch().What
}

// Weights of the parts of a resemblance.
const (
	weighSame  = 4.0
	weighAlike = 1.0
	weighIn    = 2.0
	weighOut   = 2.0
	weighBytes = 0.25 // the distance to a neighbour
)

// A resemblance is how much two points that may be the same have in common.
type resemblance struct {
	same bool // their operands are the same
	// relabelled: switches over the same value, with cases that are not all the same
	relabelled bool
	tests      bool    // a branch or switch
	in, out    float64 // shares of the ways to and from them that agree
	bytes      float64 // distances to their neighbours that agree
}

// sum returns the number by which alignments are compared.
func (l resemblance) sum() float64 {
	sum := weighAlike
	if l.same {
		sum = weighSame
	}
	return sum + weighIn*l.in + weighOut*l.out + weighBytes*l.bytes
}

// resemblance compares two points and their neighbours.
func (m *matcher) resemblance(i, j int) resemblance {
	isSame := same(&m.a.points[i], &m.b.points[j])
	kind := m.a.points[i].Kind
	return resemblance{
		same: isSame, relabelled: !isSame && kind == methodcode.Switch,
		tests: kind == methodcode.Switch || kind == methodcode.Branch,
		in:    m.agreement(m.a.in[i], m.b.in[j]), out: m.agreement(m.a.out[i], m.b.out[j]),
		bytes: equal(m.a.before[i] == m.b.before[j]) + equal(m.a.after[i] == m.b.after[j]),
	}
}

// agreement returns the share of edges that are the same on both sides.
func (m *matcher) agreement(a, b []edge) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	for _, e := range a {
		if slices.ContainsFunc(b, func(f edge) bool { return e.how == f.how && m.mayBe(e.point, f.point) }) {
			common++
		}
	}
	return min(1, 2*float64(common)/float64(len(a)+len(b)))
}

// mayBe reports whether an old point is, or may be, a new one.
func (m *matcher) mayBe(i, j int) bool {
	switch {
	case i == outside || j == outside:
		return i == j
	case m.to[i] >= 0 || m.from[j] >= 0:
		return m.to[i] == j
	}
	return same(&m.a.points[i], &m.b.points[j])
}

func equal(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// DefaultConfidence is the least confidence at which a point is moved by default.
const DefaultConfidence = 0.95

// AssumedConfidence is the confidence of points that are moved only as if the new code reached
// them as often as the old: its control flow is not known, or does not tell.
const AssumedConfidence = 0.9

// Confidences of pairs, which conservation of flow confirms or lowers: the shares of pairs like them that
// were right in the experiments of program.TestEditsOfRealSources and TestFlowOfEditedMethods.
const (
	// sure: the operands are the same, and so are most of the edges.
	sure = 0.99
	// likely: a call or type check of the same operands at another place.
	likely = 0.97
	// assumed: nothing tells how often the point is reached now; it may be as often as before.
	assumed = AssumedConfidence
	// possible: a branch on the same operands that is reached by other conditions, so
	// that it may hold as often as before, or not.
	possible = 0.8
	// guessed: the same operation, perhaps with other operands: a variable that is set
	// to something else cannot be distinguished from another variable.
	guessed = 0.5
)

// leastAround is the least sum of the agreements of in and out edges of a sure pair.
const leastAround = 1.0

// confidence returns how likely it is that a pair is right.
func (l resemblance) confidence() float64 {
	switch {
	case !l.same && !l.relabelled:
		return guessed
	case l.in+l.out >= leastAround:
		return sure
	case l.tests:
		return possible
	}
	return likely
}

// jumps finds the partners of jumps. A jump is the same if its distance to the point before it has not
// changed, the same branches lead to it, and it leads to the same point.
func (m *matcher) jumps() {
	partners := m.neighbours()
	for i, j := range partners {
		if j >= 0 && m.sameWays(m.a.in[i], m.b.in[j]) && m.sameGoal(partners, i, j) {
			m.to[i], m.from[j], m.confidence[i] = j, i, sure
		}
	}
}

// neighbours returns for each jump the jump at the same distance after the partner of
// the previous point, -1 for none.
func (m *matcher) neighbours() (partners []int) {
	partners = slices.Repeat([]int{-1}, len(m.to))
	for i := range m.a.points {
		if m.a.points[i].Kind != methodcode.Jump {
			continue
		}
		j := 0
		if i > 0 {
			j = max(m.to[i-1], partners[i-1]) + 1
			if j == 0 {
				continue
			}
		}
		if j < len(m.from) && m.b.points[j].Kind == methodcode.Jump && m.a.before[i] == m.b.before[j] {
			partners[i] = j
		}
	}
	return partners
}

// sameWays reports whether old and new edges come from the same points.
func (m *matcher) sameWays(a, b []edge) bool {
	if len(a) != len(b) {
		return false
	}
	return !slices.ContainsFunc(a, func(e edge) bool {
		if e.point != outside {
			e.point = m.to[e.point]
		}
		return !slices.Contains(b, e)
	})
}

// sameGoal reports whether two jumps lead to the same point.
func (m *matcher) sameGoal(jumps []int, i, j int) bool {
	from := goal(&m.a.points[i], 0)
	to := goal(&m.b.points[j], 0)
	switch {
	case from < 0 || to < 0:
		return false
	case from >= len(m.to):
		return to >= len(m.from)
	}
	return m.to[from] == to || jumps[from] == to
}
