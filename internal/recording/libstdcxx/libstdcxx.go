// Package libstdcxx imitates the order of equal elements in GCC's C++ standard library, which C++ leaves unspecified.
//
// llvm-profdata is linked with that library, and its output depends on the order. [Sort] imitates std::sort.
package libstdcxx

import (
	"math/bits"
	"sort"
)

// insertionLength is the maximum length of a range that only the final insertion sort orders.
const insertionLength = 16

// Sort sorts elements in the same order as std::sort. It partitions ranges around the median of three until they are
// short, and ends with an insertion sort of all elements.
func Sort[T any](all []T, less func(a, b T) bool) {
	if len(all) == 0 {
		return
	}
	partitionAll(all, 2*(bits.Len(uint(len(all)))-1), less)
	insertionSort(all, less)
}

// partitionAll partitions a range until its parts are short. A part that is still long after this number of levels had
// bad pivots, which only forged elements have. It is sorted stably, where std::sort uses a heap.
func partitionAll[T any](all []T, levels int, less func(a, b T) bool) {
	for len(all) > insertionLength {
		if levels == 0 {
			sort.SliceStable(all, func(i, j int) bool { return less(all[i], all[j]) })
			return
		}
		levels--
		cut := partition(all, less)
		partitionAll(all[cut:], levels, less)
		all = all[:cut]
	}
}

func partition[T any](all []T, less func(a, b T) bool) (cut int) {
	m := medianIndex(all, 1, len(all)/2, len(all)-1, less)
	all[0], all[m] = all[m], all[0]
	low := 1
	high := len(all)
	for {
		for less(all[low], all[0]) {
			low++
		}
		high--
		for less(all[0], all[high]) {
			high--
		}
		if low >= high {
			return low
		}
		all[low], all[high] = all[high], all[low]
		low++
	}
}

func medianIndex[T any](all []T, a, b, c int, less func(a, b T) bool) int {
	if !less(all[a], all[b]) {
		a, b = b, a
	}
	switch {
	case less(all[b], all[c]):
		return b
	case less(all[a], all[c]):
		return c
	}
	return a
}

func insertionSort[T any](all []T, less func(a, b T) bool) {
	for i, v := range all {
		at := i
		for ; at > 0 && less(v, all[at-1]); at-- {
			all[at] = all[at-1]
		}
		all[at] = v
	}
}
