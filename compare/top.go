package compare

import (
	"container/heap"
	"slices"
)

// A top keeps the heaviest n of what it is given.
type top[T any] struct {
	n     int
	total int
	heap  topHeap[T]
}

// weighed is something with its weight; of two of one weight the one that came
// first is the heavier.
type weighed[T any] struct {
	what   T
	weight float64
	order  int
}

func (w weighed[T]) lighter(v weighed[T]) bool {
	if w.weight != v.weight {
		return w.weight < v.weight
	}
	return w.order > v.order
}

// topHeap has its lightest first.
type topHeap[T any] []weighed[T]

func (h topHeap[T]) Len() int           { return len(h) }
func (h topHeap[T]) Less(i, j int) bool { return h[i].lighter(h[j]) }
func (h topHeap[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *topHeap[T]) Push(x any)        { *h = append(*h, x.(weighed[T])) }
func (h *topHeap[T]) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (t *top[T]) add(what *T, weight float64) {
	w := weighed[T]{weight: weight, order: t.total}
	t.total++
	switch {
	case t.n == 0:
	case len(t.heap) < t.n:
		w.what = *what
		heap.Push(&t.heap, w)
	case t.heap[0].lighter(w):
		w.what = *what
		t.heap[0] = w
		heap.Fix(&t.heap, 0)
	}
}

// ranking returns what was kept, the heaviest first.
func (t *top[T]) ranking() Ranking[T] {
	slices.SortFunc(t.heap, func(a, b weighed[T]) int {
		if b.lighter(a) {
			return -1
		}
		return 1
	})
	r := Ranking[T]{Total: t.total}
	for _, w := range t.heap {
		r.List = append(r.List, w.what)
	}
	return r
}
