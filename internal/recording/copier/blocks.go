package copier

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A blockGroup collects the blocks of profiles that the set adds together. That is much faster than a recording for
// each profile.
type blockGroup struct {
	profiles []profileset.StoredProfile
	from     []layout.Ref // blocks of the profiles in the archive
	bytes    []byte
}

const groupBytes = 1 << 16

// copiesBlocks reports whether nothing but pointers differs between the blocks of the archive and of the set.
func (c *Copier) copiesBlocks() bool {
	_, adopted := c.s.Adoption()
	return c.Counts == Trained && !adopted && c.hooks.Entry == nil && c.hooks.Lost == nil && c.b.Room == 0
}

// copyBlock is Profile for copiesBlocks.
func (c *Copier) copyBlock(m reader.Method, p reader.Profile) error {
	ok, err := c.addBlock(m, p)
	if ok || err != nil {
		return err
	}
	return c.Profile(m, p)
}

// addBlock adds a profile to the group. It reports whether the block can simply be copied.
func (c *Copier) addBlock(m reader.Method, p reader.Profile) (ok bool, err error) {
	block := disk.Block(p.Bytes())
	g := &c.group
	if len(g.profiles) == profileset.FunctionGroup || len(g.bytes)+len(block) > cap(g.bytes) {
		if err := c.flushBlocks(); err != nil {
			return false, err
		}
		if len(block) > cap(g.bytes) {
			g.bytes = make([]byte, 0, max(len(block), groupBytes))
		}
	}
	start := len(g.bytes)
	g.bytes, ok = methoddata.AppendStored(g.bytes, c.shape, block)
	if !ok {
		return false, c.flushBlocks()
	}
	stored := profileset.StoredProfile{Block: disk.Block(g.bytes[start:])}
	stored.Code = block.Code()
	stored.Method, stored.Context, err = c.refsOfProfile(m.Ref(), p)
	if err == nil {
		stored.Time, err = c.lastRun(m.Ref(), stored.Code)
	}
	if err == nil {
		err = c.referPointers(stored.Block)
	}
	g.profiles = append(g.profiles, stored)
	g.from = append(g.from, p.Ref())
	c.countRead(block)
	return true, err
}

// referPointers replaces the pointers in a block by references of the set.
func (c *Copier) referPointers(b disk.Block) (err error) {
	methoddata.EachEntry(c.shape, b, func(_ disk.BlockSection, e disk.Entry) {
		for cell, kind := range c.shape.Pointers(e) {
			if err == nil {
				var v uint64
				v, err = c.pointerCell(e.Cell(cell), kind)
				e.SetCell(cell, v)
			}
		}
	})
	return err
}

func (c *Copier) flushBlocks() error {
	g := &c.group
	err := c.b.AddStored(c.targetRun, c.shape, g.profiles)
	for i, p := range g.profiles {
		c.profiles.addRef(g.from[i], p.Ref)
	}
	g.profiles = g.profiles[:0]
	g.from = g.from[:0]
	g.bytes = g.bytes[:0]
	return err
}
