// Package sampling computes the sampling error of sampled profiles.
//
// A profile with n samples is taken as n independent draws from the distribution of the program's time over its
// functions or lines. Two profiles of one program under one load differ, because their samples differ. All intervals
// have a confidence of 95%.
//
// # Shares
//
// [Share] is Wilson's interval. [Pair.Change] is Newcombe's, which combines two of Wilson's, with an exact test for
// rare cells.
//
// # Overlap
//
// Let p and q be the shares in samples of sizes n and m. Their overlap is 1 - sum|p-q|/2. Chance only lowers it: two
// samples of one distribution overlap by less than 1. Their missing overlap is about sum sqrt(p (1/n + 1/m) / (2 pi)),
// and sum sqrt(p/(pi n)) for n = m. A cell with c samples in both profiles has binomially many of them in the first, so
// that the exact expectation is the mean deviation of such a number, in de Moivre's closed form. [Pair.Overlap]
// adds the expectation and 1.96 deviations to the overlap for the upper end. Cells that differ for certain have no such
// bias and count with the variance of their difference. The largest certain change of one cell bounds the upper end,
// too. For the lower end no bias is added: it is Newcombe's interval of the difference between both shares of the cells
// with p > q. So the interval holds with 95% for equal distributions, and with more for others: whether small
// differences are bias cannot be known.
//
// # Coverage
//
// A cell with c samples in both profiles is missing from the second by chance with the probability (n/(n+m))^c.
// [Pair.Coverage] adds the expected weight of cells that are missing by chance to the upper end.
//
// # Noise
//
// A list of many differences has some that exceed any single interval. [Pair.Level] is the significance for intervals
// that all hold together with 95%: Bonferroni's, over the cells with enough samples to differ at all (Tarone's method).
//
// # Effective samples
//
// If samples have weights w, n is (sum w)^2 / sum w^2. Samples of one thread depend on their predecessors, and machines
// differ between runs. No interval includes that.
package sampling

import (
	"cmp"
	"math"
	"slices"
)

// An Interval contains the value that an unlimited number of samples would show, with a confidence of 95%.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// deviations is the half width of a normal interval of 95%, in standard deviations.
const deviations = 1.959964

// Share returns the interval of a share of n samples.
func Share(share, n float64) Interval { return wilson(share, n, deviations) }

func wilson(p, n, z float64) Interval {
	if n <= 0 {
		return Interval{0, 1}
	}
	scale := 1 + z*z/n
	middle := (p + z*z/(2*n)) / scale
	half := z / scale * math.Sqrt(max(0, p*(1-p))/n+z*z/(4*n*n))
	return Interval{max(0, middle-half), min(1, middle+half)}
}

// newcombe returns the interval of b-a, where a is a share of n samples and b of m, z standard deviations wide on each
// side.
func newcombe(a, n, b, m, z float64) Interval {
	ofA, ofB := wilson(a, n, z), wilson(b, m, z)
	return Interval{b - a - math.Hypot(b-ofB.Low, ofA.High-a), b - a + math.Hypot(ofB.High-b, a-ofA.Low)}
}

// HasZero reports whether the interval includes 0: the difference is noise.
func (i Interval) HasZero() bool { return i.Low <= 0 && i.High >= 0 }

// ShareNeeds returns the number of samples for an interval of share that excludes the bound.
func ShareNeeds(share, bound float64) float64 {
	gap := share - bound
	return math.Ceil(deviations*deviations*max(share*(1-share), bound*(1-bound))/(gap*gap)) + 1
}

// A Pair is two sampled profiles, with the samples of each cell, such as a line.
type Pair struct {
	N, M  float64 // effective samples of the profiles
	cells []counts
}

type counts struct{ x, y, weight float64 }

func (c counts) both() float64 { return math.Round(c.x + c.y) }

// Add adds a cell with the shares a and b in the two profiles.
func (p *Pair) Add(a, b float64) { p.AddWeighted(a, b, a) }

// AddWeighted adds a cell whose weight in [Pair.Coverage] is not a.
func (p *Pair) AddWeighted(a, b, weight float64) {
	if a > 0 || b > 0 {
		p.cells = append(p.cells, counts{a * p.N, b * p.M, weight})
	}
}

// Level returns the significance of each change in a list of all cells, so that all intervals hold together with 95%.
func (p *Pair) Level() float64 { return p.levelOf(0.05) }

func (p *Pair) levelOf(significance float64) float64 {
	sums := make([]float64, len(p.cells))
	for i, c := range p.cells {
		sums[i] = c.x + c.y
	}
	slices.SortFunc(sums, func(a, b float64) int { return cmp.Compare(b, a) })
	rarer := math.Log(min(p.N, p.M) / (p.N + p.M))
	tests := 1
	for tests < len(sums) && math.Ln2+sums[tests]*rarer <= math.Log(significance/float64(tests+1)) {
		tests++
	}
	return significance / float64(tests)
}

// Change returns the interval of b-a, where a and b are shares in the two profiles. It is Newcombe's, extended to 0 if
// the exact test of the two counts of a rare cell is not significant at a level.
func (p *Pair) Change(a, b, level float64) Interval {
	i := newcombe(a, p.N, b, p.M, math.Sqrt2*math.Erfinv(1-level))
	if c := (counts{x: a * p.N, y: b * p.M}); !i.HasZero() && c.both() < 1000 && 2*p.tail(c) > level {
		i.Low, i.High = min(i.Low, 0), max(i.High, 0)
	}
	return i
}

// tail returns the probability that the first profile has as many samples of the cell, or a number farther from the
// expectation on the same side, if the profiles have one distribution.
func (p *Pair) tail(c counts) (sum float64) {
	n, share := c.both(), p.N/(p.N+p.M)
	x := min(n, math.Round(c.x))
	if x < n*share {
		x, share = n-x, 1-share
	}
	for ; x <= n; x++ {
		sum += binomial(n, x, share)
	}
	return sum
}

func binomial(n, k, p float64) float64 {
	return math.Exp(logChoose(n, k) + k*math.Log(p) + (n-k)*math.Log1p(-p))
}

// meanDeviation returns the mean of |x - n*p| for a binomial x of n trials.
func meanDeviation(n, p float64) float64 {
	v := math.Floor(n*p) + 1
	if n < 1 || v > n {
		return 0
	}
	return 2 * v * (1 - p) * binomial(n, v, p)
}

func logChoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}
