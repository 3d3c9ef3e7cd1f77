package compare

import (
	"cmp"
	"slices"
)

type topList[T any] struct {
	n     int
	total int
	list  []weighted[T]
	least float64 // weight of the last item when the list was last trimmed
}

type weighted[T any] struct {
	item   T
	weight float64
}

// addItem adds an item. An earlier item precedes a later one of equal weight.
func (t *topList[T]) addItem(item *T, weight float64) {
	t.total++
	if t.n == 0 || weight < t.least {
		return
	}
	t.list = append(t.list, weighted[T]{*item, weight})
	if len(t.list) >= 2*t.n+1000 {
		t.trimToHeaviest()
		t.least = t.list[t.n-1].weight
	}
}

func (t *topList[T]) trimToHeaviest() {
	slices.SortStableFunc(t.list, func(a, b weighted[T]) int { return cmp.Compare(b.weight, a.weight) })
	t.list = t.list[:min(t.n, len(t.list))]
}

// makeRanking returns the items in descending order of weight, named by setNames.
func makeRanking[T any](t *topList[T], setNames func(*T)) Ranking[T] {
	t.trimToHeaviest()
	r := Ranking[T]{Total: t.total, List: []T{}}
	for i := range t.list {
		setNames(&t.list[i].item)
		r.List = append(r.List, t.list[i].item)
	}
	return r
}
