package reduce

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (c *selection) chooseMethods(s *reader.Store, r *Options) error {
	all, errAll := weigh.Methods(c.ctx, s)
	stacks, errStacks := stacksOf(s)
	if err := cmp.Or(errAll, errStacks); err != nil {
		return err
	}
	for u := range disk.NumCountUnits {
		c.out.all[u] = all.Total(u)
	}
	c.out.allSamples, c.out.samples = stacks.totalSamples(), stacks.totalSamples()
	if r.Hot == 0 && !r.DropCold && r.Methods == nil && r.Base == nil {
		return nil
	}
	c.keep = map[layout.Ref]bool{}
	stacks, err := chooseStacks(s, stacks, r)
	if err != nil {
		return err
	}
	c.out.samples = stacks.totalSamples()
	c.keptStacks = map[int]bool{}
	for _, stack := range stacks.list {
		c.keptStacks[stack.first] = true
	}
	if r.Hot > 0 {
		err = c.chooseHot(s, r, all)
	} else {
		err = c.chooseWarm(s, r)
	}
	if err != nil || r.Hot == 0 && !r.DropCold {
		return err
	}
	return c.keepNamed(s, r, stacks)
}

func chooseStacks(s *reader.Store, all sampledStacks, r *Options) (sampledStacks, error) {
	stacks, err := all.filterStacks(func(stack sampledStack) (bool, error) {
		if r.Hot == 0 && r.DropCold && stack.count == 0 {
			return false, nil
		}
		return isSelectedAt(s, layout.Ref(all.t.Cell(1, stack.first)), r.Methods)
	})
	if err == nil && r.Hot > 0 {
		stacks = stacks.hottestStacks(r.Hot)
	}
	return stacks, err
}

func (c *selection) chooseHot(s *reader.Store, r *Options, all *weigh.Weights) (err error) {
	if r.Methods != nil {
		all, err = weigh.Selected(c.ctx, s, r.Methods)
		if err != nil {
			return err
		}
	}
	all.EachNeeded(r.Hot, func(m layout.Ref) { c.keep[m] = true })
	for _, m := range all.Marked() {
		c.keep[m] = true
	}
	return nil
}

func (c *selection) chooseWarm(s *reader.Store, r *Options) error {
	return poll.Each(poll.New(c.ctx), s.Methods(), func(m reader.Method) error {
		stays, err := weigh.Allowed(m, r.Methods)
		if err == nil && stays && r.DropCold {
			stays, err = c.hasCounts(m)
		}
		if err == nil && stays {
			c.keep[m.Ref()] = true
		}
		return err
	})
}

func (c *selection) keepNamed(s *reader.Store, r *Options, stacks sampledStacks) error {
	for n := range stacks.methodsOnStacks() {
		stays, err := isSelectedAt(s, n, r.Methods)
		if err != nil {
			return err
		}
		if stays && n != 0 {
			c.keep[n] = true
		}
	}
	return nil
}

// isSelectedAt reports whether the method with the record at n is selected. An unknown one, with n 0, is if all are.
func isSelectedAt(s *reader.Store, n layout.Ref, may func(layout.Key) bool) (bool, error) {
	if may == nil || n == 0 {
		return may == nil, nil
	}
	m, err := s.MethodAt(n)
	if err != nil {
		return false, err
	}
	return weigh.Allowed(m, may)
}

// sampledStacks holds stacks of the table of samples. Samples are never added to counts, because their units differ.
type sampledStacks struct {
	t    reader.Table
	list []sampledStack
}

type sampledStack struct {
	first, rows int
	count       uint64
}

func stacksOf(s *reader.Store) (sampledStacks, error) {
	t, err := s.TableOrEmpty(disk.TableSamples)
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

func (s sampledStacks) filterStacks(holds func(sampledStack) (bool, error)) (some sampledStacks, err error) {
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

// hottestStacks returns the fewest stacks with a given part of all samples; layout.WeightOne is all. Equal stacks are
// in the order of their methods' keys from the leaf on.
func (s sampledStacks) hottestStacks(part layout.Weight) sampledStacks {
	sorted := slices.Clone(s.list)
	slices.SortStableFunc(sorted, func(a, b sampledStack) int {
		return cmp.Or(cmp.Compare(b.count, a.count), s.compareFrames(a, b))
	})
	n := weigh.Needed(len(sorted), func(i int) uint64 { return sorted[i].count }, s.totalSamples(), part)
	return sampledStacks{s.t, sorted[:n]}
}

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

func (s sampledStacks) totalSamples() (sum weigh.Wide) {
	for _, stack := range s.list {
		sum = sum.Plus(stack.count)
	}
	return sum
}

func (s sampledStacks) methodsOnStacks() map[layout.Ref]bool {
	methods := map[layout.Ref]bool{}
	for _, stack := range s.list {
		for row := range stack.rows {
			methods[layout.Ref(s.t.Cell(1, stack.first+row))] = true
		}
	}
	return methods
}
