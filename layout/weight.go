package layout

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// A Weight is a factor for counts, exact in billionths, as the table of dumps
// stores it.
type Weight uint64

// WeightOne is the weight that changes nothing.
const WeightOne Weight = 1e9

// WeightDecimals is the number of decimal places of a weight.
const WeightDecimals = 9

// String returns the weight as a decimal number.
func (w Weight) String() string {
	s := fmt.Sprintf("%d.%0*d", w/WeightOne, WeightDecimals, uint64(w%WeightOne))
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Times returns the product of two weights, rounded to the nearest and at least
// one billionth.
func (w Weight) Times(v Weight) Weight { return Weight(max(v.Of(uint64(w)), 1)) }

// Of returns n times the weight, rounded to the nearest, half up; it saturates.
// A weight of 0 counts as 1.
func (w Weight) Of(n uint64) uint64 {
	if w == WeightOne || w == 0 {
		return n
	}
	hi, lo := bits.Mul64(n, uint64(w))
	lo, carry := bits.Add64(lo, uint64(WeightOne)/2, 0)
	if hi += carry; hi >= uint64(WeightOne) {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, uint64(WeightOne))
	return q
}

// OfSigned is Of for a count that may have been counted down.
func (w Weight) OfSigned(n int64) int64 {
	if n < 0 {
		return -int64(min(w.Of(uint64(-n)), math.MaxInt64))
	}
	return int64(min(w.Of(uint64(n)), math.MaxInt64))
}
