package report

import (
	"math"
	"slices"
)

// A Tail is a distribution: half, all but a hundredth, and all but a thousandth of what
// was measured is no higher.
type Tail struct{ P50, P99, P999 float64 }

// TailOf returns the tail of values, which it sorts.
func TailOf(values []float64) *Tail {
	slices.Sort(values)
	return &Tail{quantile(values, 0.5), quantile(values, 0.99), quantile(values, 0.999)}
}

// quantile returns the lowest of sorted values that a share of them does not exceed, 0 of none.
func quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := int(math.Ceil(share*float64(len(sorted)))) - 1
	return sorted[max(0, at)]
}

// Spread returns how far values lie apart, as a share of their median.
func Spread(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[len(sorted)-1] - sorted[0]) / sorted[len(sorted)/2]
}

// Exponent returns the e of the y = c * x^e that fits best. It is 0 for fewer than two points.
func Exponent(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		a, b := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	if below := n*sxx - sx*sx; below > 0 {
		return (n*sxy - sx*sy) / below
	}
	return 0
}
