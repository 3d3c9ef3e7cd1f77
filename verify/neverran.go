package verify

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// neverRan checks the classes of the methods that never ran: their order, that each has rows and together
// they have all, and that a name is enough to tell them apart. The rows themselves are methods like others.
func (c *check) neverRan() error {
	section := c.h.Parts[disk.PartUnexecuted]
	if section.Size == 0 {
		return nil
	}
	head, err := c.m.Bytes(disk.RegionRO, section.Offset, disk.UnexecutedHeaderSize)
	if err != nil {
		return err
	}
	classes, rows, err := disk.ParseUnexecuted(section, head)
	if err != nil {
		return disk.Corrupt(disk.RegionRO, section.Offset, "%v", err)
	}
	last := disk.ClassRow{}
	for at := classes.Offset; at < classes.End(); at += disk.ClassRowSize {
		b, err := c.m.Bytes(disk.RegionRO, at, disk.ClassRowSize)
		if err != nil {
			return err
		}
		class := disk.ParseClassRow(b)
		if class.Holder <= last.Holder || class.End <= last.End {
			err = c.wrong(disk.RegionRO, at,
				"a class of methods that never ran does not come behind the one before, or has none")
		} else {
			err = c.neverRanClass(at, class.Holder)
		}
		if err != nil {
			return err
		}
		last = class
	}
	if n := rows.Size / disk.UnexecutedRowSize; n == 0 || n != int64(last.End) {
		return c.wrong(disk.RegionRO, rows.Offset, "%d methods that never ran, their classes have %d", n, last.End)
	}
	return nil
}

// neverRanClass checks that a class has a name of its own and no loader: then
// its place among the classes is that among the keys.
func (c *check) neverRanClass(at int64, holder layout.Ref) error {
	t, err := c.s.TypeAt(holder)
	if err != nil {
		return err
	}
	name, err := t.Name()
	if err != nil {
		return err
	}
	loader, err := t.Loader()
	if err != nil {
		return err
	}
	if name.Len() == 0 || loader.Len() != 0 || c.isNextNamed(t, name) {
		return c.wrong(disk.RegionRO, at,
			"class %q of methods that never ran is not the only one of that name, or has a loader", name.String())
	}
	return nil
}

// isNextNamed reports whether the type after t has the same name. None before
// can, as that would have no loader either.
func (c *check) isNextNamed(t reader.Type, name reader.Name) bool {
	next, err := c.s.Type(t.Ordinal() + 1)
	if err != nil {
		return false
	}
	other, err := next.Name()
	return err == nil && other.Equal(name.String())
}
