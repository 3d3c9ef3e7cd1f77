package sampling

import "math"

// certainlyMissing is the probability below which a cell is not missing by chance.
const certainlyMissing = 1e-3

// Coverage returns the share of the cells of the first profile that the second one has, by weight or by number. All
// cells must be in the first profile.
func (p *Pair) Coverage(byNumber bool) Estimate {
	if p.N <= 0 || p.M <= 0 || len(p.cells) == 0 {
		return Estimate{Interval: Interval{0, 1}}
	}
	all, covered, expected, variance, gone := 0.0, 0.0, 0.0, 0.0, 0.0
	least := p.leastInFirst()
	for _, c := range p.cells {
		weight := c.weightIn(byNumber)
		all += weight
		chance := p.missesByChance(c, least)
		if c.y > 0 {
			covered += weight
		} else if chance < certainlyMissing {
			gone += weight
			continue
		}
		if !byNumber {
			weight *= max(c.x, c.both()) / c.x // all samples are in the first profile then
		}
		expected += weight * chance
		variance += weight * weight * chance * (1 - chance)
	}
	found := Estimate{Value: covered / all}
	found.likely = min(1, (covered+expected)/all)
	found.Low = found.Value
	spread := variance / (all * all)
	if !byNumber {
		found.Low = Share(found.Value, p.N).Low
		spread += gone / all * (1 - gone/all) / p.N
	}
	found.High = min(1, (covered+expected)/all+deviations*math.Sqrt(spread))
	return found
}

func (c counts) weightIn(byNumber bool) float64 {
	if byNumber {
		return 1
	}
	return c.weight
}

func (p *Pair) leastInFirst() float64 {
	least := math.Inf(1)
	for _, c := range p.cells {
		least = min(least, c.x)
	}
	return max(1, math.Round(least))
}

// missesByChance returns the probability that the second profile has none of the samples of a cell, given that the
// first has at least least.
func (p *Pair) missesByChance(c counts, least float64) float64 {
	share := p.N / (p.N + p.M)
	n := max(least, c.both())
	if all := math.Pow(share, n); all < certainlyMissing {
		return all
	}
	below := 0.0
	for k := 0.0; k < least && below < 1; k++ {
		below += binomial(n, k, share)
	}
	return min(1, math.Pow(share, n)/max(1e-300, 1-below))
}

// rareCells returns the number of cells with one sample in both profiles and with two.
func (p *Pair) rareCells() (once, twice float64) {
	for _, c := range p.cells {
		switch c.both() {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	return once, twice
}

// CoverageNeeds predicts the sizes for which the interval of the coverage excludes bound, as OverlapNeeds.
func (p *Pair) CoverageNeeds(byNumber bool, bound float64) (needs Needs, ok bool) {
	least := p.leastInFirst()
	once, twice := p.rareCells()
	for n, m := range p.growths {
		all, missing, variance := 0.0, 0.0, 0.0
		for _, c := range p.cells {
			weight := c.weightIn(byNumber)
			all += weight
			if c.y > 0 {
				continue
			}
			if p.missesByChance(c, least) < certainlyMissing {
				missing += weight
				continue
			}
			samples := c.both()
			if samples <= 1 { // the estimate of Good and Turing
				samples = min(1, 2*twice/max(once, 1))
			}
			left := 1 / (1 + (m-p.M)*samples/(p.N+p.M)) // shares of such cells are spread exponentially
			missing += weight * left
			variance += weight * weight * left * (1 - left)
		}
		low := max(0, 1-caution*(missing+deviations*math.Sqrt(variance))/all)
		if !byNumber {
			low = Share(low, n).Low
		}
		if low >= bound {
			return Needs{n, m}, true
		}
	}
	return Needs{}, false
}
