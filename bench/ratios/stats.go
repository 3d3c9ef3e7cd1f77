package ratios

import (
	"math"
	"slices"

	"github.com/profarc/profarc/internal/cli/paired"
)

// Spread returns the range of values divided by their median.
func Spread(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[len(sorted)-1] - sorted[0]) / sorted[len(sorted)/2]
}

// Exponent fits y = c * x^e and returns e, or 0 for fewer than two points.
func Exponent(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		a := math.Log(x[i])
		b := math.Log(y[i])
		n++
		sx += a
		sy += b
		sxx += a * a
		sxy += a * b
	}
	if below := n*sxx - sx*sx; below > 0 {
		return (n*sxy - sx*sy) / below
	}
	return 0
}

// MedianRatio returns the median of the ratios of pairs.
func MedianRatio(a, b []float64) float64 {
	var ratios []float64
	for i := range min(len(a), len(b)) {
		ratios = append(ratios, a[i]/b[i])
	}
	return paired.Median(ratios)
}
