// Package paired compares two samples of figures that were taken in pairs, such as the
// times of two programs that took turns on a machine whose speed changes.
//
// The test compares the ratios of the pairs, by Wilcoxon's signed-rank test of its logarithm: it asks
// nothing of the distribution but symmetry, and one wild pair weighs no more than its rank. The reported
// ratio is Hodges and Lehmann's, the median of the means of all pairs of logarithms, with the interval that
// belongs to the same test. All probabilities are exact, with ties too, and none is drawn at random.
package paired

import (
	"math"
	"slices"
)

// A Ratio says how the figures of one sample relate to another's.
type Ratio struct {
	Pairs      int     `json:"pairs"`
	Estimate   float64 `json:"estimate"`    // of the first sample to the second
	Low        float64 `json:"low"`         // ends of the interval
	High       float64 `json:"high"`        // 0 as Low if there are too few pairs for the confidence asked for
	Confidence float64 `json:"confidence"`  // that the interval has, at least that asked for; 0 without one
	P          float64 `json:"p,omitempty"` // that as large a difference arises if there is none, in either direction
}

// Differs reports whether the interval excludes that both samples are the same.
func (r Ratio) Differs() bool { return r.Confidence > 0 && (r.Low > 1 || r.High < 1) }

// Compare compares a[i] with b[i], for all i. Pairs with a figure that is not positive and finite are left
// out; ok is false if none is left. confidence is the interval's, as 0.95.
func Compare(a, b []float64, confidence float64) (r Ratio, ok bool) {
	var logs []float64
	for i := range min(len(a), len(b)) {
		if d := math.Log(a[i]) - math.Log(b[i]); a[i] > 0 && b[i] > 0 && !math.IsInf(d, 0) && !math.IsNaN(d) {
			logs = append(logs, d)
		}
	}
	if len(logs) == 0 {
		return Ratio{}, false
	}
	means := walshMeans(logs)
	r = Ratio{Pairs: len(logs), Estimate: math.Exp(Median(means)), P: signedRankP(logs)}
	if cut, attained := cutFor(len(logs), confidence); cut > 0 {
		r.Low, r.High, r.Confidence = math.Exp(means[cut-1]), math.Exp(means[len(means)-cut]), attained
	}
	return r, true
}

// LeastPairs returns how many pairs an interval with a confidence below 1 takes.
func LeastPairs(confidence float64) int {
	n := 1
	for cut, _ := cutFor(n, confidence); cut == 0 && n < 60; cut, _ = cutFor(n, confidence) {
		n++
	}
	return n
}

// walshMeans returns the means of all pairs of figures, each with itself too, in order.
func walshMeans(x []float64) []float64 {
	means := make([]float64, 0, len(x)*(len(x)+1)/2)
	for i := range x {
		for j := i; j < len(x); j++ {
			means = append(means, (x[i]+x[j])/2)
		}
	}
	slices.Sort(means)
	return means
}

// Median returns the median of figures, NaN if there are none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// MedianRatio returns the median of the ratios of figures that were taken in pairs, NaN if there are none.
func MedianRatio(a, b []float64) float64 {
	var ratios []float64
	for i := range min(len(a), len(b)) {
		ratios = append(ratios, a[i]/b[i])
	}
	return Median(ratios)
}

// signedRankP returns the two-sided p of Wilcoxon's signed-rank test that x is symmetric
// about 0. Zeros are left out, as Wilcoxon did. Equal figures share the mean of their ranks.
func signedRankP(x []float64) float64 {
	x = slices.DeleteFunc(slices.Clone(x), func(v float64) bool { return v == 0 })
	if len(x) == 0 {
		return 1
	}
	ranks := doubledRanks(x)
	sum, all := 0, 0
	for i, r := range ranks {
		all += r
		if x[i] > 0 {
			sum += r
		}
	}
	p := 0.0
	for _, share := range sums(ranks)[:min(sum, all-sum)+1] {
		p += share
	}
	return min(1, 2*p)
}

// doubledRanks returns twice the rank of each figure by size, which ties keep whole.
func doubledRanks(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return compareSizes(x[i], x[j]) })
	ranks := make([]int, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && compareSizes(x[order[from]], x[order[to]]) == 0 {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = from + 1 + to
		}
		from = to
	}
	return ranks
}

func compareSizes(a, b float64) int {
	switch a, b = math.Abs(a), math.Abs(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sums returns how likely each sum is if every rank counts with a chance of one half.
func sums(ranks []int) []float64 {
	all := 0
	for _, r := range ranks {
		all += r
	}
	p := make([]float64, all+1)
	p[0] = 1
	for _, r := range ranks {
		for s := all; s >= 0; s-- {
			p[s] /= 2
			if s >= r {
				p[s] += p[s-r] / 2
			}
		}
	}
	return p
}

// cutFor returns how many means, less one, lie beyond each end of an interval of so many pairs, and
// the confidence of that; 0 if so few pairs can't give the confidence.
func cutFor(pairs int, confidence float64) (cut int, attained float64) {
	ranks := make([]int, pairs)
	for i := range ranks {
		ranks[i] = i + 1
	}
	beyond := 0.0
	for w, p := range sums(ranks) {
		if beyond += p; 1-2*beyond < confidence {
			return w, attained
		}
		attained = 1 - 2*beyond
	}
	return 0, 0
}
