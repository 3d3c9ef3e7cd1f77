package merging

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/layout"
)

// weightDecimals is the number of decimal places of a layout.Weight.
const weightDecimals = 9

// ParseWeight reads a whole number or a decimal fraction of at most nine places, greater than 0.
func ParseWeight(text string) (layout.Weight, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > weightDecimals {
		return 0, fmt.Errorf("weight %s: at most %d decimal places are held", text, weightDecimals)
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", weightDecimals-len(fraction)), 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("weight %s: a weight is a number from 0.000000001 to 18446744073, as 3 or 0.25", text)
	}
	return layout.Weight(n), nil
}

// HalfLife returns the weight of counts of an age whose value halves with each half-life.
// A negative age is 0, and a half-life of 0 or less always returns weight 1.
func HalfLife(age, half time.Duration) layout.Weight {
	if age <= 0 || half <= 0 {
		return layout.WeightOne
	}
	return layout.Weight(max(math.Round(float64(layout.WeightOne)*math.Exp2(-float64(age)/float64(half))), 1))
}

// Equalize returns the weights that make runs count alike, whatever their totals:
// the run with the highest total has weight 1. A run without counts has 1 too.
func Equalize(totals []uint64) []layout.Weight {
	highest := uint64(0)
	for _, n := range totals {
		highest = max(highest, n)
	}
	weights := make([]layout.Weight, len(totals))
	for i, n := range totals {
		weights[i] = layout.WeightOne
		if n > 0 {
			hi, lo := bits.Mul64(highest, uint64(layout.WeightOne))
			weights[i] = math.MaxUint64
			if hi < n {
				q, _ := bits.Div64(hi, lo, n)
				weights[i] = layout.Weight(q)
			}
		}
	}
	return weights
}
