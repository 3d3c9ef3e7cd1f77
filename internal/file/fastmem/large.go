package fastmem

import "reflect"

// largePageSize is the size of a large page, 512 small ones. minLargeSize is the allocation size in bytes from which
// large pages are requested.
const (
	largePageSize = 2 << 20
	minLargeSize  = 1 << 17
)

// AllocateLarge returns n zero values on the heap, in large pages if the system provides them on request. Random
// access then needs fewer page table walks, and the system provides 512 pages at once. Small allocations are ordinary.
func AllocateLarge[T any](n int) []T {
	s := make([]T, n)
	if size := uintptr(n) * reflect.TypeFor[T]().Size(); size >= minLargeSize && !disabled[LargePages] {
		adviseLarge(reflect.ValueOf(s).Pointer(), size)
	}
	return s
}
