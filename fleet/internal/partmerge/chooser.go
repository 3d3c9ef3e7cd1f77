package partmerge

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type chooser struct {
	part  merging.Part
	s     *reader.Store
	class lastClass
	// chosen and copied locate the methods and profiles in tables. Tables are copied last, when all records of the part
	// are known.
	chosen map[layout.Ref]bool
	copied func(n layout.Ref) bool
}

// lastClass caches the class of the last method. Most methods have the same class as the one before.
type lastClass struct {
	known   bool
	ordinal uint32
	name    string
}

func newChooser(p merging.Part, s *reader.Store) *chooser {
	return &chooser{part: p, s: s, chosen: map[layout.Ref]bool{}}
}

func (c *chooser) chooseMethod(m reader.Method) (bool, error) {
	in, err := c.holdsMethod(m)
	if in {
		c.chosen[m.Ref()] = true
	}
	return in, err
}

func (c *chooser) holdsMethod(m reader.Method) (bool, error) {
	class, err := c.classOf(m)
	if err != nil {
		return false, err
	}
	if class != c.part.From.Class && class != c.part.To.Class {
		return c.part.Holds(merging.Bound{Class: class}), nil
	}
	name, err := m.Name()
	return err == nil && c.part.Holds(merging.Bound{Class: class, Name: name.String()}), err
}

func (c *chooser) classOf(m reader.Method) (string, error) {
	t, ok, err := m.Class()
	if err != nil || !ok {
		return "", err
	}
	if c.class.known && c.class.ordinal == t.Ordinal() {
		return c.class.name, nil
	}
	name, err := t.Name()
	c.class = lastClass{err == nil, t.Ordinal(), name.String()}
	return c.class.name, err
}

func (c *chooser) chooseType(t reader.Type) (bool, error) {
	name, err := t.Name()
	return err == nil && c.part.Holds(merging.Bound{Class: name.String()}), err
}

func (c *chooser) chooseRows(t *reader.Table) func(row int) (bool, error) {
	grouped := profileset.Grouped(t.Kind)
	group := uint64(0)
	in := false
	return func(row int) (bool, error) {
		if grouped && row > 0 && t.Cell(0, row) == group {
			return in, nil
		}
		group = t.Cell(0, row)
		var err error
		in, err = c.chooseRow(t, row)
		return in, err
	}
}

// chooseRow reports whether the first record that a row refers to is in the part. A row without references is in the
// first part.
func (c *chooser) chooseRow(t *reader.Table, row int) (bool, error) {
	for column := range t.Columns() {
		n := layout.Ref(t.Cell(column, row))
		switch kind := t.Column(column); {
		case n == 0 || kind == disk.ColumnWord || kind == disk.ColumnSymbol:
		case kind == disk.ColumnProfile:
			return c.copied(n), nil
		case kind == disk.ColumnMethod:
			return c.chosen[n], nil
		default:
			at, err := c.boundOfRecord(kind, n)
			return err == nil && c.part.Holds(at), err
		}
	}
	return c.part.Holds(merging.Bound{}), nil
}

func (c *chooser) boundOfRecord(kind disk.ColumnKind, n layout.Ref) (merging.Bound, error) {
	switch kind {
	case disk.ColumnType:
		t, err := c.s.TypeAt(n)
		if err != nil {
			return merging.Bound{}, err
		}
		name, err := t.Name()
		return merging.Bound{Class: name.String()}, err
	case disk.ColumnContext:
		node, err := c.s.ContextAt(n)
		if err != nil {
			return merging.Bound{}, err
		}
		return boundOfMethod(node.Method())
	}
	return merging.Bound{}, fmt.Errorf("%s: unknown column kind %d", c.s.Mapping().Name(), kind)
}

func boundOfMethod(m reader.Method, err error) (merging.Bound, error) {
	if err != nil {
		return merging.Bound{}, err
	}
	k, err := m.Key()
	return merging.Bound{Class: k.Class, Name: k.Name}, err
}
