package fit

import "github.com/profarc/profarc/internal/java/methodcode"

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
