package reduce

import (
	"cmp"

	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// choose decides which methods and which sampled stacks stay.
func (c *cut) choose(s *reader.Store, r *Options) error {
	all, err := WeighMethods(c.ctx, s)
	if err != nil {
		return err
	}
	stacks, err := stacksOf(s)
	if err != nil {
		return err
	}
	for u := range all.units {
		c.out.all[u] = all.units[u].total
	}
	c.out.allSamples, c.out.samples = stacks.samples(), stacks.samples()
	if r.Hot == 0 && !r.DropCold && r.Methods == nil {
		return nil
	}
	c.keep = map[layout.Ref]bool{}
	if stacks, err = chooseStacks(s, stacks, r); err != nil {
		return err
	}
	c.out.samples, c.stacks = stacks.samples(), map[int]bool{}
	for _, stack := range stacks.list {
		c.stacks[stack.first] = true
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

// chooseStacks gives the stacks that stay: of those whose leaf may, the hottest,
// or those that were sampled at all.
func chooseStacks(s *reader.Store, all sampledStacks, r *Options) (sampledStacks, error) {
	stacks, err := all.where(func(stack sampledStack) (bool, error) {
		if r.Hot == 0 && r.DropCold && stack.count == 0 {
			return false, nil
		}
		return allowedAt(s, all.leaf(stack), r.Methods)
	})
	if err == nil && r.Hot > 0 {
		stacks = stacks.hottest(r.Hot)
	}
	return stacks, err
}

// chooseHot keeps the heaviest methods of those that may stay.
func (c *cut) chooseHot(s *reader.Store, r *Options, all *Weights) (err error) {
	if r.Methods != nil {
		if all, err = weighMethods(c.ctx, s, r.Methods); err != nil {
			return err
		}
	}
	all.eachNeeded(r.Hot, func(m layout.Ref) { c.keep[m] = true })
	for _, m := range all.marked {
		c.keep[m] = true
	}
	return nil
}

// chooseWarm keeps the methods that may stay and, if that is asked for, have
// counted anything.
func (c *cut) chooseWarm(s *reader.Store, r *Options) error {
	steps := poll.New(c.ctx)
	for m, err := range s.Methods() {
		if err = cmp.Or(err, steps.Err()); err != nil {
			return err
		}
		stays, err := allowed(m, r.Methods)
		if err == nil && stays && r.DropCold {
			stays, err = c.warm(m)
		}
		if err != nil {
			return err
		}
		if stays {
			c.keep[m.Ref()] = true
		}
	}
	return nil
}

// keepNamed keeps the methods on stacks that stay, as far as they may: they ran,
// whatever was counted of them.
func (c *cut) keepNamed(s *reader.Store, r *Options, stacks sampledStacks) error {
	for n := range stacks.named() {
		stays, err := allowedAt(s, n, r.Methods)
		if err != nil {
			return err
		}
		if stays && n != 0 {
			c.keep[n] = true
		}
	}
	return nil
}

// allowedAt says of the method whose record lies at n whether it may stay; of
// none it is so where all may.
func allowedAt(s *reader.Store, n layout.Ref, may func(layout.Key) bool) (bool, error) {
	if may == nil || n == 0 {
		return may == nil, nil
	}
	m, err := s.MethodAt(n)
	if err != nil {
		return false, err
	}
	return allowed(m, may)
}
