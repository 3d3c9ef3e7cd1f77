package fastmem_test

import (
	"testing"

	"github.com/profarc/profarc/internal/file/fastmem"
)

// Of sizes around those from which large pages are asked for, and of no size.
func TestLargeIsZeroedAndWritable(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 1<<14 - 1, 1 << 14, 1 << 18, 3<<18 + 5} {
		s := fastmem.AllocateLarge[uint64](n)
		if len(s) != n {
			t.Fatalf("%d values, want %d", len(s), n)
		}
		for i := range s {
			if s[i] != 0 {
				t.Fatalf("value %d of %d is %d", i, n, s[i])
			}
			s[i] = uint64(i)
		}
	}
}
