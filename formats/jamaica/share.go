package jamaica

import (
	"math"
	"math/bits"

	"github.com/profarc/profarc/internal/disk"
)

// shareOf is 100 * n / total rounded down, 0 if total is 0. n is at most total.
func shareOf(n, total uint64) uint64 {
	if total == 0 {
		return 0
	}
	return scaled(n, total)
}

// scaled is 100 * n / d rounded down, or the highest number.
func scaled(n, d uint64) uint64 {
	hi, lo := bits.Mul64(n, 100)
	if hi >= d {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, d)
	return q
}

// A tally adds up what shares are of.
type tally struct {
	sum    uint64
	lo, hi uint64 // the totals that give all shares that were read; none if hi < lo
	rows   bool
}

// add takes a number and its share.
func (t *tally) add(n, share uint64) {
	if !t.rows {
		t.lo, t.hi, t.rows = 0, math.MaxUint64, true
	}
	t.sum = disk.SaturatingAdd(t.sum, n)
	// share = floor(100n/T) is 100n/(share+1) < T <= 100n/share; without n
	// every total gives 0.
	below := scaled(n, disk.SaturatingAdd(share, 1))
	switch {
	case n == 0 && share > 0, below == math.MaxUint64:
		t.hi = 0
	case n > 0:
		t.lo = max(t.lo, below+1)
	}
	if n > 0 && share > 0 {
		t.hi = min(t.hi, scaled(n, share))
	}
}

// total is the sum, if it gives the shares, or the smallest total that does.
// Where none does it is the sum, and known is false.
func (t *tally) total() (total uint64, known bool) {
	switch {
	case t.sum >= t.lo && t.sum <= t.hi:
		return t.sum, true
	case t.lo > t.sum && t.lo <= t.hi:
		return t.lo, true
	}
	return t.sum, false
}
