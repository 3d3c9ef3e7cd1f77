package libstdcxx

// A Heap is a priority queue: the element that leaves it first is one that is
// less than no other. Which of several equal elements that is depends on the
// steps below, which are those of the library.
type Heap[T any] struct {
	Less func(a, b T) bool
	all  []T
}

// Len is the number of elements.
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
