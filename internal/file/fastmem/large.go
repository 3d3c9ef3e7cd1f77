package fastmem

import "reflect"

// Large pages of this size are what a processor maps with one entry of its tables, 512
// times as much as with a small one.
const (
	largePageSize = 2 << 20
	minLargeSize  = 1 << 17 // bytes of an allocation that is worth asking
)

// Large returns n zero values on the heap, in large pages where the system has them for
// who asks. Memory that is read in random order is then found without walking through tables
// of pages, and the system provides 512 pages at once. Small allocations are ordinary.
func Large[T any](n int) []T {
	s := make([]T, n)
	if size := uintptr(n) * reflect.TypeFor[T]().Size(); size >= minLargeSize && !disabled[LargePages] {
		adviseLarge(reflect.ValueOf(s).Pointer(), size)
	}
	return s
}
