package libstdcxx

import "math/bits"

// insertionLength is the length up to which a range is left to the insertion
// sort at the end.
const insertionLength = 16

// Sort sorts elements as std::sort does: ranges are partitioned around the
// median of three until they are short, then an insertion sort over everything
// brings the elements to their places.
func Sort[T any](all []T, less func(a, b T) bool) {
	if len(all) == 0 {
		return
	}
	partitionAll(all, 2*(bits.Len(uint(len(all)))-1), less)
	insertionSort(all, less)
}

// partitionAll partitions a range until its parts are short. After so many
// levels that the pivots must have been bad, the rest is sorted by a heap.
func partitionAll[T any](all []T, levels int, less func(a, b T) bool) {
	for len(all) > insertionLength {
		if levels == 0 {
			heapSort(all, less)
			return
		}
		levels--
		cut := partition(all, less)
		partitionAll(all[cut:], levels, less)
		all = all[:cut]
	}
}

// partition moves a pivot to the front and what is less than it, but for the
// pivot, before what is not. It returns where the second part begins.
func partition[T any](all []T, less func(a, b T) bool) (cut int) {
	m := medianOf(all, 1, len(all)/2, len(all)-1, less)
	all[0], all[m] = all[m], all[0]
	low, high := 1, len(all)
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

// medianOf returns which of three elements is between the others.
func medianOf[T any](all []T, a, b, c int, less func(a, b T) bool) int {
	switch {
	case !less(all[a], all[b]):
		return medianOfFalling(all, a, b, c, less)
	case less(all[b], all[c]):
		return b
	case less(all[a], all[c]):
		return c
	}
	return a
}

// medianOfFalling is medianOf where a is not less than b.
func medianOfFalling[T any](all []T, a, b, c int, less func(a, b T) bool) int {
	switch {
	case less(all[a], all[c]):
		return a
	case less(all[b], all[c]):
		return c
	}
	return b
}

func heapSort[T any](all []T, less func(a, b T) bool) {
	for parent := len(all)/2 - 1; parent >= 0; parent-- {
		siftDown(all, parent, all[parent], less)
	}
	for n := len(all); n > 1; n-- {
		popLast(all[:n], less)
	}
}

// insertionSort keeps equal elements in their order.
func insertionSort[T any](all []T, less func(a, b T) bool) {
	for i, v := range all {
		at := i
		for ; at > 0 && less(v, all[at-1]); at-- {
			all[at] = all[at-1]
		}
		all[at] = v
	}
}
