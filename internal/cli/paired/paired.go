// Package paired compares two samples of paired measurements, such as times of two programs that ran alternately on
// a machine of varying speed.
//
// Compare applies Wilcoxon's signed-rank test to the logarithms of the ratios. The test assumes only that their
// distribution is symmetric, and is robust against outliers. Estimate is the Hodges-Lehmann estimator, the
// median of the means of all pairs of logarithms. The confidence interval belongs to the same test. All probabilities
// are exact, including ties.
package paired

import (
	"math"
	"slices"
)

type Ratio struct {
	Pairs      int     `json:"pairs"`
	Estimate   float64 `json:"estimate"`
	Low        float64 `json:"low"`         // start of the confidence interval
	High       float64 `json:"high"`        // end of the interval; Low, High, Confidence are 0 for too few pairs
	Confidence float64 `json:"confidence"`  // actual confidence, at least the requested one
	P          float64 `json:"p,omitempty"` // two-sided p-value
}

func (r Ratio) Differs() bool { return r.Confidence > 0 && (r.Low > 1 || r.High < 1) }

// Compare compares a[i] with b[i] for all i. It ignores pairs with a number that is not positive and finite. ok is
// false if no pair is left. confidence is a probability such as 0.95.
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
	if cut, attained := intervalCut(len(logs), confidence); cut > 0 {
		r.Low = math.Exp(means[cut-1])
		r.High = math.Exp(means[len(means)-cut])
		r.Confidence = attained
	}
	return r, true
}

// LeastPairs returns the minimum number of pairs for an interval with the given confidence, which must be below 1.
func LeastPairs(confidence float64) int {
	n := 1
	for cut, _ := intervalCut(n, confidence); cut == 0 && n < 60; cut, _ = intervalCut(n, confidence) {
		n++
	}
	return n
}

// walshMeans returns the sorted means of x[i] and x[j] for all i <= j.
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

func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// MedianInterval returns the sign test's interval for the median of the distribution of x, and its actual confidence.
// For too few values it is from the least to the greatest, and the confidence is less than requested.
func MedianInterval(x []float64, confidence float64) (low, high, attained float64) {
	if len(x) == 0 {
		return math.NaN(), math.NaN(), 0
	}
	s := slices.Sorted(slices.Values(x))
	cut := 0
	below := math.Pow(0.5, float64(len(s))) // probability that at most cut values are below the median
	attained = 1 - 2*below
	for term := below; cut+1 < (len(s)+1)/2; {
		term *= float64(len(s)-cut) / float64(cut+1)
		below += term
		if 1-2*below < confidence {
			break
		}
		cut++
		attained = 1 - 2*below
	}
	return s[cut], s[len(s)-1-cut], max(0, attained)
}

// signedRankP returns the two-sided p-value of Wilcoxon's signed-rank test that x is symmetric about 0. It ignores
// zeros, as Wilcoxon did. Equal absolute values get the mean of their ranks.
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
	for _, share := range subsetSumProbabilities(ranks)[:min(sum, all-sum)+1] {
		p += share
	}
	return min(1, 2*p)
}

// doubledRanks returns twice the rank of each absolute value, which is an integer even for ties.
func doubledRanks(x []float64) []int {
	sizes := make([]float64, len(x))
	for i, v := range x {
		sizes[i] = math.Abs(v)
	}
	sorted := slices.Sorted(slices.Values(sizes))
	ranks := make([]int, len(x))
	for i, size := range sizes {
		from, _ := slices.BinarySearch(sorted, size)
		to, _ := slices.BinarySearch(sorted, math.Nextafter(size, math.Inf(1)))
		ranks[i] = from + 1 + to
	}
	return ranks
}

// subsetSumProbabilities returns, at index i, the probability that a random subset of ranks adds up to i.
func subsetSumProbabilities(ranks []int) []float64 {
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

// intervalCut returns the index, counted from 1, of the mean that is the lower end of the interval with the requested
// confidence, and the actual confidence. cut is 0 if there are too few pairs.
func intervalCut(pairs int, confidence float64) (cut int, attained float64) {
	ranks := make([]int, pairs)
	for i := range ranks {
		ranks[i] = i + 1
	}
	beyond := 0.0
	for w, p := range subsetSumProbabilities(ranks) {
		if beyond += p; 1-2*beyond < confidence {
			return w, attained
		}
		attained = 1 - 2*beyond
	}
	return 0, 0
}
