// Package fastmem has optimizations: prefetching, radix sorting and large pages. Each can be disabled, and a
// benchmark here measures a whole operation with and without it:
//
//	go test ./internal/file/fastmem -run '^$' -bench . -count 5
//
// The operations are a batch of 400,000 lookups by key, and laying out an archive of 400,000 functions. These are
// medians of 5 alternating runs, in milliseconds of processor time on one core of an Intel Xeon:
//
//	operation   technique      with  without  saves
//	lookups     prefetching     186      253    27%
//	layout      prefetching     218      329    34%
//	layout      radix sorting   213      462    54%
//
// Large pages save 15 to 20% of the processor time of an import of 1,000,000 functions (go run ./bench/llvm of commit
// 3f17ca0), which allocates new memory. The benchmark here reuses its memory.
package fastmem

import (
	"cmp"
	"reflect"
	"slices"
)

// A Technique is an optimization.
type Technique int

const (
	Prefetching Technique = iota
	RadixSorting
	LargePages
	numTechniques
)

// disabled has the techniques that a test disables.
var disabled [numTechniques]bool

// Prefetch starts loading the cache line of each offset in data, without waiting, so that the cache misses overlap.
// It ignores offsets outside data. On machines without a prefetch instruction it reads. It is written in assembly,
// since Go has no prefetch, and cannot fault.
func Prefetch(data []byte, places []int64) {
	if !disabled[Prefetching] {
		prefetchPlaces(data, places)
	}
}

// PrefetchLines starts loading the cache line at each address, on machines with a prefetch instruction.
func PrefetchLines(addresses []uintptr) {
	if !disabled[Prefetching] {
		prefetchLines(addresses)
	}
}

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

type SortKey struct {
	Key uint64
	Ref uint32
}

const (
	// RadixMin is the number of keys from which radix sort is faster.
	RadixMin = 1 << 6
	// radixBytes is the number of bytes to sort by at once. Evenly distributed keys rarely agree in more.
	radixBytes = 3
)

// SortByKey sorts keys stably. *spare is scratch memory, which it keeps for the next call. If stop, called with a
// number of keys, returns true, it stops and leaves keys unsorted.
func SortByKey(keys []SortKey, spare *[]SortKey, stop func(n int) bool) {
	differ := differingBits(keys)
	if differ == 0 || stop(len(keys)) {
		return
	}
	if len(keys) < RadixMin || disabled[RadixSorting] {
		slices.SortStableFunc(keys, func(x, y SortKey) int { return cmp.Compare(x.Key, y.Key) })
		return
	}
	top := 0 // the lowest of the highest radixBytes bytes that differ
	for n, at := 0, 7; at >= 0 && n < radixBytes; at-- {
		if byte(differ>>(8*at)) != 0 {
			top = at
			n++
		}
	}
	radixSort(keys, spare, differ, top)
	if differ<<(64-8*top) == 0 { // also 0 if top is 0
		return
	}
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to].Key>>(8*top) == keys[from].Key>>(8*top) {
			to++
		}
		if to-from > 1 {
			SortByKey(keys[from:to], spare, stop)
		}
		from = to
	}
}

func differingBits(keys []SortKey) (bits uint64) {
	for _, k := range keys {
		bits |= k.Key ^ keys[0].Key
	}
	return bits
}

// radixSort sorts by the differing bytes, from byte top upward.
func radixSort(keys []SortKey, spare *[]SortKey, differ uint64, top int) {
	if len(*spare) < len(keys) {
		*spare = AllocateLarge[SortKey](len(keys))
	}
	from := keys
	to := (*spare)[:len(keys)]
	for shift := 8 * top; shift < 64; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var at [256]uint32
		for _, k := range from {
			at[byte(k.Key>>shift)]++
		}
		sum := uint32(0)
		for b, n := range at {
			at[b] = sum
			sum += n
		}
		for _, k := range from {
			b := byte(k.Key >> shift)
			to[at[b]] = k
			at[b]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}
