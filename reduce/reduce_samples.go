package reduce

import (
	"cmp"
	"errors"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// sampledStacks are the stacks of the table of samples. Samples are a measure
// of their own: they are never added to counts, which have another unit.
type sampledStacks struct {
	t    disk.Table
	list []sampledStack
}

// A sampledStack is rows of the table that follow one another, leaf first. All
// of them have its count.
type sampledStack struct {
	first, rows int
	count       uint64
}

// stacksOf gives the stacks of an archive.
func stacksOf(s *reader.Store) (sampledStacks, error) {
	t, err := s.Table(layout.TableSamples)
	if errors.Is(err, reader.ErrNotFound) {
		return sampledStacks{}, nil
	}
	if err != nil {
		return sampledStacks{}, err
	}
	stacks := sampledStacks{t: t}
	for row := range t.Rows {
		if row == 0 || t.Cell(0, row) != t.Cell(0, row-1) {
			stacks.list = append(stacks.list, sampledStack{first: row, count: t.Cell(3, row)})
		}
		stacks.list[len(stacks.list)-1].rows++
	}
	return stacks, nil
}

// where gives the stacks that a condition holds for.
func (s sampledStacks) where(holds func(sampledStack) (bool, error)) (some sampledStacks, err error) {
	some.t = s.t
	for _, stack := range s.list {
		held, err := holds(stack)
		if err != nil {
			return some, err
		}
		if held {
			some.list = append(some.list, stack)
		}
	}
	return some, nil
}

// hottest gives the fewest stacks that have a part of all samples, of which layout.WeightOne
// is all. Of equal ones those come first whose methods do, by key from the leaf.
func (s sampledStacks) hottest(part layout.Weight) sampledStacks {
	sorted := slices.Clone(s.list)
	slices.SortStableFunc(sorted, func(a, b sampledStack) int {
		return cmp.Or(cmp.Compare(b.count, a.count), s.compareFrames(a, b))
	})
	n := needed(len(sorted), func(i int) uint64 { return sorted[i].count }, s.samples(), part)
	return sampledStacks{s.t, sorted[:n]}
}

// compareFrames orders stacks by methods, which lie in the order of their keys,
// and points.
func (s sampledStacks) compareFrames(a, b sampledStack) int {
	for i := range min(a.rows, b.rows) {
		for column := 1; column <= 2; column++ {
			if c := cmp.Compare(s.t.Cell(column, a.first+i), s.t.Cell(column, b.first+i)); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(a.rows, b.rows)
}

// samples is the sum over all stacks.
func (s sampledStacks) samples() (sum wide) {
	for _, stack := range s.list {
		sum = sum.plus(stack.count)
	}
	return sum
}

// leaf is the method that was running, 0 if it is not known.
func (s sampledStacks) leaf(stack sampledStack) layout.Ref {
	return layout.Ref(s.t.Cell(1, stack.first))
}

// named are the methods on the stacks.
func (s sampledStacks) named() map[layout.Ref]bool {
	methods := map[layout.Ref]bool{}
	for _, stack := range s.list {
		for row := range stack.rows {
			methods[layout.Ref(s.t.Cell(1, stack.first+row))] = true
		}
	}
	return methods
}
