package fit

// same reports whether two points are the same but for what is around them: they
// test, call or check the same of the same operands.
func same(p, q *Point) bool {
	return alike(p, q) && p.sketch().Operands == q.sketch().Operands
}

// alike reports whether two points are of the same bytecode with the same names.
// Branches may have opposite senses.
func alike(p, q *Point) bool {
	return p.Kind == q.Kind && p.known() && p.sketch().What == q.sketch().What
}

// Weights of what makes two points alike.
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

// sum is what alignments are compared by.
func (l resemblance) sum() float64 {
	sum := weighAlike
	if l.same {
		sum = weighSame
	}
	return sum + weighIn*l.in + weighOut*l.out + weighBytes*l.bytes
}

// resemblance compares two points by what is known of their neighbours.
func (m *matcher) resemblance(i, j int) resemblance {
	isSame, kind := same(&m.a.points[i], &m.b.points[j]), m.a.points[i].Kind
	return resemblance{
		same: isSame, relabelled: !isSame && kind == Switch, tests: kind == Switch || kind == Branch,
		in: m.agreement(m.a.in[i], m.b.in[j]), out: m.agreement(m.a.out[i], m.b.out[j]),
		bytes: equal(m.a.before[i] == m.b.before[j]) + equal(m.a.after[i] == m.b.after[j]),
	}
}

// agreement is the share of ways that are the same on both sides.
func (m *matcher) agreement(a, b []edge) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	for _, e := range a {
		for _, f := range b {
			if e.how == f.how && m.mayBe(e.point, f.point) {
				common++
				break
			}
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
