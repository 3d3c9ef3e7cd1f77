package fastmem_test

import (
	"math"
	"testing"

	"github.com/profarc/profarc/internal/file/fastmem"
)

// A fetched address need not be mapped: a fault would end the test.
func TestNothingFaults(t *testing.T) {
	fastmem.PrefetchLines(nil)
	fastmem.PrefetchLines([]uintptr{0, 1, 1 << 12, math.MaxUint32, ^uintptr(0)})
	fastmem.Prefetch(nil, []int64{0})
	fastmem.Prefetch(make([]byte, 100), []int64{0, 99, 100, -1, math.MaxInt64, math.MinInt64})
}
