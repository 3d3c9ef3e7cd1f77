package fit

import (
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
)

type alignment struct {
	to         []int     // new point of each old point, -1 if unmatched
	confidence []float64 // confidence of each pair, from 0 to 1
	lost       []string  // reason why a point is unmatched
	tooLarge   bool      // too many points to align
}

// maxPairs limits time and memory. No method of a JVM comes near it.
const maxPairs = 1 << 22

type matcher struct {
	a, b       *codeFlow
	to, from   []int // partners, -1 if unmatched
	confidence []float64
	ambiguous  []bool
	halted     func() error // returns an error after the check is canceled
}

// rounds is the number of times to align the points that are left. Moved code matches in a later round.
const rounds = 4

// alignPoints aligns the points of the old and the new code. The result is incomplete if halted returns an error.
func alignPoints(a, b *codeFlow, halted func() error) alignment {
	n := len(a.points)
	out := alignment{lost: make([]string, n), tooLarge: n*len(b.points) > maxPairs}
	m := &matcher{a: a, b: b, to: slices.Repeat([]int{-1}, n), from: slices.Repeat([]int{-1}, len(b.points)),
		confidence: make([]float64, n), ambiguous: make([]bool, n), halted: halted}
	if !out.tooLarge {
		for range rounds {
			m.alignRound(sameOperation)
		}
		m.alignRound(similarOperation)
		m.matchJumps()
	}
	out.to = m.to
	out.confidence = m.confidence
	for i := range out.lost {
		out.lost[i] = m.lossReason(i, out.tooLarge)
	}
	return out
}

func (m *matcher) alignRound(mayBe func(p, q *methodcode.Point) bool) {
	g := newGrid(m, mayBe)
	if g == nil {
		return
	}
	type pair struct{ i, j int }
	var pairs []pair
	g.eachBestPair(func(i, j int) {
		if g.isCertain(i, j) {
			pairs = append(pairs, pair{g.rows[i], g.columns[j]})
		} else {
			m.ambiguous[g.rows[i]] = true
		}
	})
	confidence := make([]float64, len(pairs)) // computed before any of them matches
	for k, p := range pairs {
		confidence[k] = m.resemblance(p.i, p.j).confidence()
	}
	for k, p := range pairs {
		m.to[p.i], m.from[p.j], m.confidence[p.i], m.ambiguous[p.i] = p.j, p.i, confidence[k], false
	}
}

func (m *matcher) lossReason(i int, tooLarge bool) string {
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

func sameOperation(p, q *methodcode.Point) bool {
	return similarOperation(p, q) && p.FormerSketch().Operands == q.FormerSketch().Operands
}

// similarOperation reports whether two points have the same kind and names. Branches may have opposite senses.
func similarOperation(p, q *methodcode.Point) bool {
	return p.Kind == q.Kind && p.Known() && p.FormerSketch().What == q.FormerSketch().What
}

// Weights of the parts of a resemblance.
const (
	weighSame  = 4.0
	weighAlike = 1.0
	weighIn    = 2.0
	weighOut   = 2.0
	weighBytes = 0.25 // distance to a neighbor
)

type resemblance struct {
	same bool // operands are equal
	// relabelled marks switches over the same value with different cases.
	relabelled bool
	tests      bool    // point is a branch or switch
	in, out    float64 // shares of the edges in and out that agree
	bytes      float64 // number of distances to neighbors that agree
}

func (l resemblance) pairScore() float64 {
	sum := weighAlike
	if l.same {
		sum = weighSame
	}
	return sum + weighIn*l.in + weighOut*l.out + weighBytes*l.bytes
}

func (m *matcher) resemblance(i, j int) resemblance {
	isSame := sameOperation(&m.a.points[i], &m.b.points[j])
	kind := m.a.points[i].Kind
	return resemblance{same: isSame, relabelled: !isSame && kind == methodcode.Switch,
		tests: kind == methodcode.Switch || kind == methodcode.Branch,
		in:    m.agreement(m.a.in[i], m.b.in[j]), out: m.agreement(m.a.out[i], m.b.out[j]),
		bytes: oneIfTrue(m.a.before[i] == m.b.before[j]) + oneIfTrue(m.a.after[i] == m.b.after[j])}
}

func (m *matcher) agreement(a, b []edge) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	for _, e := range a {
		if slices.ContainsFunc(b, func(f edge) bool { return e.how == f.how && m.canBeSame(e.point, f.point) }) {
			common++
		}
	}
	return min(1, 2*float64(common)/float64(len(a)+len(b)))
}

func (m *matcher) canBeSame(i, j int) bool {
	switch {
	case i == outside || j == outside:
		return i == j
	case m.to[i] >= 0 || m.from[j] >= 0:
		return m.to[i] == j
	}
	return sameOperation(&m.a.points[i], &m.b.points[j])
}

func oneIfTrue(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// DefaultConfidence is the default of Options.Confidence.
const DefaultConfidence = 0.95

// AssumedConfidence is the confidence of points that move on the assumption that the new code runs them as often as the
// old. Their control flow is unknown or does not decide.
const AssumedConfidence = 0.9

// Confidences of pairs, which conservation of flow confirms or lowers. They are the shares of correct pairs in the
// experiments of program.TestEditsOfRealSources and TestFlowOfEditedMethods.
const (
	// sure is for equal operands and mostly equal edges.
	sure = 0.99
	// likely is for a call or type check with equal operands elsewhere.
	likely = 0.97
	// assumed is for a point with unknown flow, which may run as often as before.
	assumed = AssumedConfidence
	// possible is for a branch with equal operands under other conditions, which may or may not hold as often as before.
	possible = 0.8
	// guessed is for the same operation with possibly different operands, since a variable's value identifies it.
	guessed = 0.5
)

// leastAround is the minimum for in plus out of a sure pair.
const leastAround = 1.0

// confidence returns the probability that a pair is correct.
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

// matchJumps matches jumps. Two jumps match if they have equal distances to the previous points, matching branches lead
// to them, and they lead to matching points.
func (m *matcher) matchJumps() {
	partners := m.neighbours()
	for i, j := range partners {
		if j >= 0 && m.sameWays(m.a.in[i], m.b.in[j]) && m.sameGoal(partners, i, j) {
			m.to[i], m.from[j], m.confidence[i] = j, i, sure
		}
	}
}

// neighbours returns for each jump the one at the same distance after the previous point's partner, or -1.
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

func (m *matcher) sameGoal(jumps []int, i, j int) bool {
	from := targetPoint(&m.a.points[i], 0)
	to := targetPoint(&m.b.points[j], 0)
	switch {
	case from < 0 || to < 0:
		return false
	case from >= len(m.to):
		return to >= len(m.from)
	}
	return m.to[from] == to || jumps[from] == to
}

type grid struct {
	rows, columns []int     // indices of old and new points
	scores        []float32 // scores of pairs; 0 excludes a pair
	tails         []float32 // best total from (i, j) on
	heads         []float32 // best total before (i, j)
}

// nearlyBest is the maximum distance of a pair's score from the best pair with one of its points.
const nearlyBest = 0.3

// newGrid returns the grid of the unmatched points, nil if no two of them can match.
func newGrid(m *matcher, mayBe func(p, q *methodcode.Point) bool) *grid {
	g := &grid{rows: unmatchedPoints(m.to), columns: unmatchedPoints(m.from)}
	g.scores = make([]float32, len(g.rows)*len(g.columns))
	bestOfRow := make([]float32, len(g.rows))
	bestOfColumn := make([]float32, len(g.columns))
	any := false
	for i, row := range g.rows {
		if m.halted() != nil {
			return nil
		}
		for j, column := range g.columns {
			if mayBe(&m.a.points[row], &m.b.points[column]) {
				score := float32(m.resemblance(row, column).pairScore())
				g.scores[i*len(g.columns)+j] = score
				bestOfRow[i] = max(bestOfRow[i], score)
				bestOfColumn[j] = max(bestOfColumn[j], score)
				any = true
			}
		}
	}
	if !any {
		return nil
	}
	for i := range g.rows {
		for j := range g.columns {
			if s := &g.scores[i*len(g.columns)+j]; *s < max(bestOfRow[i], bestOfColumn[j])-nearlyBest {
				*s = 0
			}
		}
	}
	g.computeTotals()
	return g
}

func unmatchedPoints(partners []int) (points []int) {
	for i, partner := range partners {
		if partner < 0 {
			points = append(points, i)
		}
	}
	return points
}

func (g *grid) computeTotals() {
	n := len(g.rows)
	k := len(g.columns)
	g.tails = make([]float32, (n+1)*(k+1))
	g.heads = make([]float32, (n+1)*(k+1))
	for i := range n {
		for j := range k {
			g.heads[g.cellIndex(i+1, j+1)] = g.betterTotal(g.heads, g.pairScore(i, j), g.cellIndex(i, j), g.cellIndex(i, j+1),
				g.cellIndex(i+1, j))
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := k - 1; j >= 0; j-- {
			g.tails[g.cellIndex(i, j)] = g.betterTotal(g.tails, g.pairScore(i, j), g.cellIndex(i+1, j+1), g.cellIndex(i, j+1),
				g.cellIndex(i+1, j))
		}
	}
}

func (g *grid) cellIndex(i, j int) int     { return i*(len(g.columns)+1) + j }
func (g *grid) pairScore(i, j int) float32 { return g.scores[i*len(g.columns)+j] }
func (g *grid) bestFrom(i, j int) float32  { return g.tails[g.cellIndex(i, j)] }
func (g *grid) bestThrough(i, j int) float32 {
	return g.heads[g.cellIndex(i, j)] + g.pairScore(i, j) + g.tails[g.cellIndex(i+1, j+1)]
}

func (g *grid) betterTotal(sums []float32, score float32, both, one, other int) float32 {
	best := max(sums[one], sums[other])
	if score > 0 {
		best = max(best, sums[both]+score)
	}
	return best
}

func (g *grid) eachBestPair(yield func(i, j int)) {
	for i, j := 0, 0; i < len(g.rows) && j < len(g.columns); {
		score := g.pairScore(i, j)
		switch best := g.bestFrom(i, j); {
		case score > 0 && score+g.bestFrom(i+1, j+1) >= best:
			yield(i, j)
			i++
			j++
		case g.bestFrom(i+1, j) >= best:
			i++
		default:
			j++
		}
	}
}

// leastMargin is the minimum distance to every alignment in which one of two partners has another partner.
const leastMargin = 0.2

// isCertain reports whether every alignment without a pair is clearly worse.
func (g *grid) isCertain(i, j int) bool {
	least := g.bestThrough(i, j) - leastMargin
	rivals := func(i, j int) bool { return g.pairScore(i, j) > 0 && g.bestThrough(i, j) > least }
	for k := range g.columns {
		if k != j && rivals(i, k) {
			return false
		}
	}
	for k := range g.rows {
		if k != i && rivals(k, j) {
			return false
		}
	}
	return true
}
