package verify

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// profiles goes from every method to its profiles: each block must be linked once, and none may be left over.
func (c *check) profiles() error {
	for m, err := range c.s.Methods() {
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return err
		}
		n := 0
		for p, err := range m.Profiles() {
			if err == nil {
				err = c.profile(p)
			}
			if err == nil {
				err = c.interrupted()
			}
			if err != nil {
				return err
			}
			n++
		}
		if m.Unexecuted() {
			c.report.Counts.Unexecuted++
		}
		if m.Unexecuted() && n > 0 {
			if err := c.wrong(disk.RegionRO, m.Ref().Offset(), "a method that never ran has %d profiles", n); err != nil {
				return err
			}
		}
	}
	return c.leftOver()
}

// profile checks that a block is linked once. That a lookup finds it, by the context in which it is and by
// its code, follows from the order of contexts and of the blocks of a chain, which the walk has checked.
func (c *check) profile(p reader.Profile) error {
	if !c.cut && !c.starts.unlinked.remove(p.Ref()) {
		return c.wrong(disk.RegionRW, p.Ref().Offset(), "a profile that begins inside a block, or is linked twice")
	}
	if p.Code() == layout.CodeAny {
		return c.wrong(disk.RegionRW, p.Ref().Offset(), "a profile with the code id that stands for any code")
	}
	return nil
}

// leftOver notes blocks that no method leads to.
func (c *check) leftOver() error {
	if c.cut {
		return nil
	}
	first, n := c.starts.unlinked.first()
	if n == 0 {
		return nil
	}
	return c.wrong(disk.RegionRW, first.Offset(), "%d blocks to which no method leads, this is the first", n)
}
