package copier

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/reader"
)

// copiesBlocks reports whether nothing but pointers differs between the blocks of the archive and of the set.
func (c *Copier) copiesBlocks() bool {
	_, adopted := c.s.Adoption()
	return c.Counts == Trained && !adopted && c.hooks.Entry == nil && c.hooks.Lost == nil && c.b.Room == 0
}

// copyBlock is Profile for copiesBlocks. If possible, it copies the block as a whole, which is much faster.
func (c *Copier) copyBlock(m reader.Method, p reader.Profile) (err error) {
	block := disk.Block(p.Bytes())
	var ok bool
	c.block, ok = methoddata.AppendStored(c.block[:0], c.shape, block)
	if !ok {
		return c.Profile(m, p)
	}
	key := profileset.ProfileKey{Code: block.Code()}
	run := c.targetRun
	key.Method, key.Context, err = c.refsOfProfile(m.Ref(), p)
	if err == nil {
		run.Time, err = c.lastRun(m.Ref(), key.Code)
	}
	if err == nil {
		err = c.referPointers(c.block)
	}
	if err != nil {
		return err
	}
	ref, err := c.b.AddStored(run, c.shape, key, c.block)
	c.profiles.addRef(p.Ref(), ref)
	c.countRead(block)
	return err
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
