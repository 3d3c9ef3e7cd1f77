package verify

import (
	"errors"
	"math/bits"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// profiles goes from every method to its profiles: a look-up by code and
// context must give each of them, and no block may be left over.
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
				err = c.profile(m, p)
			}
			if err != nil {
				return err
			}
			n++
		}
		if m.NeverRan() {
			c.report.Counts.NeverRan++
		}
		if m.NeverRan() && n > 0 {
			if err := c.wrong(layout.RegionRO, m.Ref().Offset(), "a method that never ran has %d profiles", n); err != nil {
				return err
			}
		}
	}
	return c.leftOver()
}

func (c *check) profile(m reader.Method, p reader.Profile) error {
	rw := c.h.Region(layout.RegionRW)
	if !c.cut && !c.starts.remove((p.Ref().Offset()-rw.Offset)/layout.Unit) {
		return c.wrong(layout.RegionRW, p.Ref().Offset(), "a profile that begins inside a block, or is linked twice")
	}
	node, inContext, err := p.Context()
	if err != nil {
		return err
	}
	var frames []reader.Frame
	if inContext {
		if frames, err = node.Frames(); err != nil {
			return err
		}
	}
	q, depth, err := m.Profile(p.Code(), frames...)
	switch {
	case errors.Is(err, reader.ErrAmbiguous) && p.Code() == reader.AnyCode:
		return nil // no look-up can mean it
	case errors.Is(err, reader.ErrNotFound) || err == nil && (q.Ref() != p.Ref() || depth != len(frames)):
		return c.wrong(layout.RegionRW, p.Ref().Offset(), "a look-up of code %#x in its context of %d frames does not give this profile", p.Code(), len(frames))
	}
	return err
}

// leftOver notes blocks that no method leads to.
func (c *check) leftOver() error {
	if c.cut {
		return nil
	}
	n, first := 0, int64(-1)
	for i, word := range c.starts {
		if word != 0 && first < 0 {
			first = int64(64*i + bits.TrailingZeros64(word))
		}
		n += bits.OnesCount64(word)
	}
	if n == 0 {
		return nil
	}
	return c.wrong(layout.RegionRW, c.h.Region(layout.RegionRW).Offset+first*layout.Unit, "%d blocks to which no method leads, this is the first", n)
}
