package builder

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Weight is a factor, held exactly in billionths.
type Weight uint64

// One is the weight that changes nothing.
const One Weight = 1e9

// decimals is the number of decimal places of a weight.
const decimals = 9

// ParseWeight reads a whole number or a decimal fraction of at most nine
// places, greater than 0.
func ParseWeight(text string) (Weight, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > decimals {
		return 0, fmt.Errorf("weight %s: at most %d decimal places are held", text, decimals)
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("weight %s: a weight is a number from 0.000000001 to 18446744073, as 3 or 0.25", text)
	}
	return Weight(n), nil
}

// String gives the weight as a decimal number.
func (w Weight) String() string {
	s := fmt.Sprintf("%d.%0*d", w/One, decimals, uint64(w%One))
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Times is the product of two weights, rounded to the nearest and at least one
// billionth.
func (w Weight) Times(v Weight) Weight { return Weight(max(v.of(uint64(w)), 1)) }

// HalfLife is the weight of counts of that age if they are worth half as much
// after each half-life, at most one: what is dated later than now is new. No
// half-life is never worth less.
func HalfLife(age, half time.Duration) Weight {
	if age <= 0 || half <= 0 {
		return One
	}
	return Weight(max(math.Round(float64(One)*math.Exp2(-float64(age)/float64(half))), 1))
}

// Equalize gives the weights that make runs count alike, whatever their totals:
// the run with the highest total has weight 1. A run without counts has 1 too.
func Equalize(totals []uint64) []Weight {
	highest := uint64(0)
	for _, n := range totals {
		highest = max(highest, n)
	}
	weights := make([]Weight, len(totals))
	for i, n := range totals {
		weights[i] = One
		if n > 0 {
			hi, lo := bits.Mul64(highest, uint64(One))
			weights[i] = maxCount
			if hi < n {
				q, _ := bits.Div64(hi, lo, n)
				weights[i] = Weight(q)
			}
		}
	}
	return weights
}

// of is n times the weight, rounded to the nearest, half up; it saturates.
func (w Weight) of(n uint64) uint64 {
	if w == One || w == 0 {
		return n
	}
	hi, lo := bits.Mul64(n, uint64(w))
	lo, carry := bits.Add64(lo, uint64(One)/2, 0)
	if hi += carry; hi >= uint64(One) {
		return maxCount
	}
	q, _ := bits.Div64(hi, lo, uint64(One))
	return q
}

// ofSigned is of for a count that may have been counted down.
func (w Weight) ofSigned(n int64) int64 {
	if n < 0 {
		return -int64(min(w.of(uint64(-n)), maxSigned))
	}
	return int64(min(w.of(uint64(n)), maxSigned))
}

const (
	maxCount  = 1<<64 - 1
	maxSigned = 1<<63 - 1
)
