package sampling

import "math"

// A chance is the expected missing overlap of two samples of one distribution, with its variance, over some cells.
type chance struct {
	missing, variance float64
	// The differences of two cells are correlated, since samples add up to n.
	correlated, own float64
}

// addCell adds a cell with the share p in samples of sizes n and m.
func (e *chance) addCell(p, n, m float64) {
	all := n + m
	left := max(0, 1-p)
	scale := all / (n * m)
	mean := meanDeviation(math.Round(p*all), n/all) * math.Sqrt(left) * scale
	variance := p * left * scale
	e.missing += mean / 2
	e.variance += max(0, variance-mean*mean) / 4
	if left > 1e-9 {
		e.correlated += math.Pow(p, 1.5) / math.Sqrt(left)
		e.own += p * p * p / left
	}
}

func (e *chance) deviation(n, m float64) float64 {
	covariance := (1/n + 1/m) / math.Pi * max(0, e.correlated*e.correlated-e.own) / 4
	return math.Sqrt(e.variance + covariance)
}

// An Estimate is a measured value with its interval.
type Estimate struct {
	Value float64
	Interval
	likely float64 // estimated value without sampling error
}

// Overlap returns the overlap of the two profiles.
func (p *Pair) Overlap() Estimate {
	if p.N <= 0 || p.M <= 0 {
		return Estimate{Interval: Interval{0, 1}}
	}
	level := p.Level()
	var e chance
	var sum, signed, above counts // totals of certain cells, and of cells with p > q
	found := Estimate{}
	for _, c := range p.cells {
		a, b := c.x/p.N, c.y/p.M
		found.Value += min(a, b)
		if a > b {
			above.x += a
			above.y += b
		}
		if p.Change(a, b, level).HasZero() {
			e.addCell((c.x+c.y)/(p.N+p.M), p.N, p.M)
		} else {
			d := a - b
			sum.x += a
			sum.y += b
			signed.x += math.Copysign(a, d)
			signed.y += math.Copysign(b, d)
		}
	}
	variance := math.Pow(e.deviation(p.N, p.M), 2)
	if sum != (counts{}) {
		variance += (max(0, sum.x-signed.x*signed.x)/p.N+max(0, sum.y-signed.y*signed.y)/p.M)/4 +
			math.Pow(deviations/p.N, 2) + math.Pow(deviations/p.M, 2)
	}
	found.likely = min(1, found.Value+e.missing)
	found.Low = max(0, 1-newcombe(above.y, p.M, above.x, p.N, deviations).High)
	found.High = min(1, found.Value+e.missing+deviations*math.Sqrt(variance))
	return found
}

// CertainChange returns the largest change of a cell that its interval does not exclude, 0 if all may be noise. The
// overlap is at most 1 less it.
func (p *Pair) CertainChange() (most float64) {
	level := p.levelOf(0.025)
	for _, c := range p.cells {
		i := p.Change(c.x/p.N, c.y/p.M, level)
		most = max(most, i.Low, -i.High)
	}
	return most
}

// Needs are the samples that each profile needs for an interval that excludes a bound.
type Needs struct{ N, M float64 }

// maxGrowth limits the predictions: no profile is taken for a thousand times as long.
const maxGrowth = 1000

// Predictions are at least leastGrowth. A profile usefulRatio times as large as the other does not lower the error.
const leastGrowth, usefulRatio = 1.5, 4

// growths yields sizes of the second profile alone, as far as that is useful, then of both.
func (p *Pair) growths(yield func(n, m float64) bool) {
	for f := leastGrowth; f < maxGrowth && f*p.M <= usefulRatio*p.N; f *= 1.1 {
		if !yield(p.N, f*p.M) {
			return
		}
	}
	for f := leastGrowth; f < maxGrowth; f *= 1.1 {
		if !yield(f*p.N, max(f*p.N, p.M)) {
			return
		}
	}
}

// partsOfBias returns the missing overlap of equal distributions in rare and in other cells. The number of rare cells
// grows with a power of the number of samples, since more samples find further ones.
func (p *Pair) partsOfBias() (rare, frequent, growth float64) {
	var ofRare, ofOthers chance
	for _, c := range p.cells {
		of := &ofOthers
		if c.both() <= 4 {
			of = &ofRare
		}
		of.addCell((c.x+c.y)/(p.N+p.M), p.N, p.M)
	}
	once, _ := p.rareCells()
	return ofRare.missing, ofOthers.missing, min(0.9, once/float64(max(1, len(p.cells))))
}

// caution makes most predictions sufficient.
const caution = 1.1

// OverlapNeeds predicts the sizes for which the interval of the overlap excludes bound. ok is false if there are none
// below a thousand times as many.
func (p *Pair) OverlapNeeds(bound float64) (needs Needs, ok bool) {
	now := p.Overlap()
	rare, frequent, growth := p.partsOfBias()
	for n, m := range p.growths {
		if now.likely < bound {
			if now.likely+(now.High-now.likely)*math.Sqrt((1/n+1/m)/(1/p.N+1/p.M)) < bound {
				return Needs{n, m}, true
			}
			continue
		}
		scale := (1/n + 1/m) / (1/p.N + 1/p.M)
		missing := min(1, 1-now.likely+caution*(rare*math.Pow(scale, 1-growth)+frequent*math.Sqrt(scale)))
		if 1-newcombe(0.5-missing/2, m, 0.5+missing/2, n, deviations).High >= bound {
			return Needs{n, m}, true
		}
	}
	return Needs{}, false
}
