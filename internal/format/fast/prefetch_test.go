package fast_test

import (
	"math"
	"testing"

	"github.com/profarc/profarc/internal/format/fast"
)

// A fetched address need not be mapped: a fault would end the test.
func TestNothingFaults(t *testing.T) {
	fast.PrefetchLines(nil)
	fast.PrefetchLines([]uintptr{0, 1, 1 << 12, math.MaxUint32, ^uintptr(0)})
	fast.Prefetch(nil, []int64{0})
	fast.Prefetch(make([]byte, 100), []int64{0, 99, 100, -1, math.MaxInt64, math.MinInt64})
}
