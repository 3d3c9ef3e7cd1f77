package disk

import (
	"math"
	"math/bits"

	"github.com/profarc/profarc/layout"
)

// NumCountUnits is the number of count units.
const NumCountUnits = UnitNanoseconds + 1

// MultiplyWeights returns the product of two weights, rounded to the nearest and at least one billionth.
func MultiplyWeights(w, v layout.Weight) layout.Weight {
	return layout.Weight(max(ApplyWeight(v, uint64(w)), 1))
}

// ApplyWeight returns n times w, rounded half up and saturating. A weight of 0 counts as 1.
func ApplyWeight(w layout.Weight, n uint64) uint64 {
	if w == layout.WeightOne || w == 0 {
		return n
	}
	hi, lo := bits.Mul64(n, uint64(w))
	lo, carry := bits.Add64(lo, uint64(layout.WeightOne)/2, 0)
	if hi += carry; hi >= uint64(layout.WeightOne) {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, uint64(layout.WeightOne))
	return q
}

// ApplyWeightSigned is Weigh for a signed count.
func ApplyWeightSigned(w layout.Weight, n int64) int64 {
	if n < 0 {
		return -int64(min(ApplyWeight(w, uint64(-n)), math.MaxInt64))
	}
	return int64(min(ApplyWeight(w, uint64(n)), math.MaxInt64))
}
