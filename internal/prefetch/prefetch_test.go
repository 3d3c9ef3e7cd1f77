package prefetch_test

import (
	"math"
	"testing"

	"github.com/profarc/profarc/internal/prefetch"
)

// What is fetched need not be there: a fault would end the test.
func TestNothingFaults(t *testing.T) {
	prefetch.Lines(nil)
	prefetch.Lines([]uintptr{0, 1, 1 << 12, math.MaxUint32, ^uintptr(0)})
	prefetch.Places(nil, []int64{0})
	prefetch.Places(make([]byte, 100), []int64{0, 99, 100, -1, math.MaxInt64, math.MinInt64})
}
