package fit

// An alignment says which point of the new code each point of the old has
// become.
type alignment struct {
	to         []int     // -1 for none
	confidence []float64 // of each pair, from 0 to 1
	tooLarge   bool      // there are too many points to align
}

// maxPairs bounds time and memory: no method of a JVM comes near it.
const maxPairs = 1 << 22

// align aligns two sequences of points.
func align(a, b side) alignment {
	n, m := len(a.points), len(b.points)
	out := alignment{to: make([]int, n), confidence: make([]float64, n)}
	for i := range out.to {
		out.to[i] = -1
	}
	if n*m > maxPairs {
		out.tooLarge = true
		return out
	}
	g := newGrid(&a, &b)
	for i, j := 0, 0; i < n && j < m; {
		score := g.alike(i, j)
		switch best := g.rest(i, j); {
		case score > 0 && score+g.rest(i+1, j+1) >= best:
			out.to[i] = j
			out.confidence[i] = g.confidence(i, j)
			i, j = i+1, j+1
		case g.rest(i+1, j) >= best:
			i++
		default:
			j++
		}
	}
	out.fill(&a, &b)
	out.checkTargets(&a, &b)
	return out
}

// A grid holds the best sums of all alignments of two sequences.
type grid struct {
	n, m   int
	scores []float32 // of pairs
	most   []float32 // what they could be
	tails  []float32 // best sum from (i, j) on, (n+1) x (m+1)
	heads  []float32 // best sum before (i, j), (n+1) x (m+1)
}

func newGrid(a, b *side) *grid {
	n, m := len(a.points), len(b.points)
	g := &grid{n: n, m: m, scores: make([]float32, n*m), most: make([]float32, n*m),
		tails: make([]float32, (n+1)*(m+1)), heads: make([]float32, (n+1)*(m+1))}
	same := unchanged(a, b)
	for i := range n {
		for j := range m {
			sum, most := similarity(a, b, i, j, same)
			g.scores[i*m+j], g.most[i*m+j] = float32(sum), float32(most)
			g.heads[g.at(i+1, j+1)] = g.best(g.heads, i*m+j, g.at(i, j), g.at(i, j+1), g.at(i+1, j))
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			g.tails[g.at(i, j)] = g.best(g.tails, i*m+j, g.at(i+1, j+1), g.at(i, j+1), g.at(i+1, j))
		}
	}
	return g
}

func (g *grid) at(i, j int) int { return i*(g.m+1) + j }

// best is the highest of pairing two points and of leaving one of them out.
func (g *grid) best(sums []float32, pair, both, one, other int) float32 {
	best := max(sums[one], sums[other])
	if s := g.scores[pair]; s > 0 {
		best = max(best, sums[both]+s)
	}
	return best
}

func (g *grid) alike(i, j int) float32 { return g.scores[i*g.m+j] }
func (g *grid) rest(i, j int) float32  { return g.tails[g.at(i, j)] }

// through is the best sum of the alignments that pair i with j.
func (g *grid) through(i, j int) float32 {
	return g.heads[g.at(i, j)] + g.alike(i, j) + g.tails[g.at(i+1, j+1)]
}

// confidence is the share of features that agree, down to half of it where
// pairing the point with another one is as good.
func (g *grid) confidence(i, j int) float64 {
	second := float32(0)
	for k := range g.m {
		if k != j && g.alike(i, k) > 0 {
			second = max(second, g.through(i, k))
		}
	}
	margin := min(max(g.through(i, j)-second, 0), 1)
	return float64(g.alike(i, j)/g.most[i*g.m+j]) * (0.5 + 0.5*float64(margin))
}

// filled is the confidence of points that stand alone between two pairs.
const filled = 0.45

// fill pairs what lies between two pairs and is the same sequence of kinds on
// both sides: there, all else has changed.
func (l *alignment) fill(a, b *side) {
	for i := 0; i < len(l.to); i++ {
		if l.to[i] >= 0 {
			continue
		}
		end := i
		for end < len(l.to) && l.to[end] < 0 {
			end++
		}
		from, to := -1, len(b.points)
		if i > 0 {
			from = l.to[i-1]
		}
		if end < len(l.to) {
			to = l.to[end]
		}
		if len(l.to) > end-i && to-from-1 == end-i && sameKinds(a.points[i:end], b.points[from+1:to]) {
			for k := i; k < end; k++ {
				l.to[k], l.confidence[k] = from+1+k-i, filled
			}
		}
		i = end
	}
}

func sameKinds(a, b []Point) bool {
	for i := range a {
		if a[i].Kind != b[i].Kind || a[i].What != 0 && b[i].What != 0 && a[i].What != b[i].What {
			return false
		}
	}
	return true
}

// elsewhere is what is left of the confidence of a branch that does not go where
// its target has gone.
const elsewhere = 0.75

// checkTargets holds the targets of branches and jumps against the alignment.
func (l *alignment) checkTargets(a, b *side) {
	for i, j := range l.to {
		if j < 0 || a.points[i].Kind != Branch && a.points[i].Kind != Jump {
			continue
		}
		for k, t := range a.points[i].Targets {
			if k < len(b.points[j].Targets) && !l.goesTo(t, b.points[j].Targets[k], len(b.points)) {
				l.confidence[i] *= elsewhere
			}
		}
	}
}

// goesTo reports whether an old target may have become a new one. The end of
// the code is the partner of the end.
func (l *alignment) goesTo(old, now int32, end int) bool {
	switch {
	case old < 0 || now < 0:
		return true
	case int(old) == len(l.to):
		return int(now) == end
	case l.to[old] < 0:
		return true
	}
	return l.to[old] == int(now)
}
