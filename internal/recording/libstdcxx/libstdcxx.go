// Package libstdcxx orders elements as the C++ standard library of GCC does
// where the C++ standard leaves the order of equal elements open.
//
// llvm-profdata is linked with that library, and its output shows the order:
// [Sort] is std::sort, [Heap] is std::priority_queue.
package libstdcxx

import "math/bits"

// insertionLength is the length up to which a range is left to the insertion sort at the end.
const insertionLength = 16

// Sort sorts elements as std::sort does: ranges are partitioned around the median of three until they are
// short, then an insertion sort over everything brings the elements to their places.
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

// partition moves a pivot and smaller elements to the front, but for the
// pivot, before the others. It returns where the second part begins.
func partition[T any](all []T, less func(a, b T) bool) (cut int) {
	m := medianOf(all, 1, len(all)/2, len(all)-1, less)
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

// medianOfFalling is like medianOf where a is not less than b.
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

// A Heap is a priority queue whose top is not less than any other element. Which of several equal elements is
// the top depends on the steps below, which follow the library.
type Heap[T any] struct {
	Less func(a, b T) bool
	all  []T
}

// Len returns the number of elements.
func (h *Heap[T]) Len() int { return len(h.all) }

// Top returns the element that Pop removes. The heap must not be empty.
func (h *Heap[T]) Top() T { return h.all[0] }

// Push adds an element.
func (h *Heap[T]) Push(v T) {
	h.all = append(h.all, v)
	siftUp(h.all, len(h.all)-1, 0, v, h.Less)
}

// Pop removes the top element and returns it. The heap must not be empty.
func (h *Heap[T]) Pop() T {
	popLast(h.all, h.Less)
	last := len(h.all) - 1
	v := h.all[last]
	h.all = h.all[:last]
	return v
}

// popLast moves the top of a heap to its end, and makes a heap of the others.
func popLast[T any](all []T, less func(a, b T) bool) {
	last := len(all) - 1
	v := all[last]
	all[last] = all[0]
	if last > 0 {
		siftDown(all[:last], 0, v, less)
	}
}

// siftUp moves a hole towards the top until v fits into it.
func siftUp[T any](all []T, hole, top int, v T, less func(a, b T) bool) {
	for hole > top {
		parent := (hole - 1) / 2
		if !less(all[parent], v) {
			break
		}
		all[hole] = all[parent]
		hole = parent
	}
	all[hole] = v
}

// siftDown moves a hole to the bottom, past the larger child each time, and v
// from there up to where it fits. Of equal children the right one moves.
func siftDown[T any](all []T, hole int, v T, less func(a, b T) bool) {
	top := hole
	for {
		child := 2*hole + 2
		if child > len(all) {
			break
		}
		if child == len(all) || less(all[child], all[child-1]) {
			child--
		}
		all[hole] = all[child]
		hole = child
	}
	siftUp(all, hole, top, v, less)
}
