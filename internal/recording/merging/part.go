package merging

import (
	"context"
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ErrPart means that an archive is only a part of a merge, or that parts are missing, overlap, or belong to different
// merges.
var ErrPart = errors.New("archives are not the parts of one merge")

type PartOptions struct {
	Run profileset.RunRules // rules of the run, as for merge.Into
	// OneShape promises that all archives have the shape of the builder's Params, so that nothing outside the part must be
	// read to find it. A different shape returns ErrMismatch.
	OneShape bool
}

// Into merges the part p of an archive into the builder, as merge.Into does with the whole. The builder becomes an
// archive that records its part, and Join combines it with the others. Do not add anything else to it. Into reads only
// the page checksums, the index, names and tables of the archive, and the profiles in the part.
func (p Part) Into(ctx context.Context, b *profileset.Set, s *reader.Store, o PartOptions) error {
	t := Target{b}
	use, err := p.useOf(ctx, t, s, o)
	if err != nil {
		return err
	}
	run, err := t.AdmitRun(s, o.Run, use)
	if err != nil {
		return err
	}
	b.Table(disk.TableProperties, 0).RowOnce(uint64(b.Symbol(partProperty)),
		uint64(b.Symbol(p.property())))
	b.Locked(func() { b.Partial = true })
	chooser := newChooser(p, s)
	hooks := Hooks(o.Run.Weight)
	hooks.Lazy = true
	hooks.Elsewhere = copier.AStub
	hooks.Chosen = chooser.chooseMethod
	hooks.Kind = chooser.chooseType
	hooks.Rows = chooser.chooseRows
	c := copier.New(ctx, t.Set, s, run, hooks)
	chooser.copied = c.Copied
	if err := t.CopyAccounted(c, s, p.isFirst(), c.All); err != nil {
		return err
	}
	return t.UniteGrown()
}

// useOf returns the parts of the shape on which entries of an archive depend. With OneShape it checks the shape and
// reads no entries.
func (p Part) useOf(ctx context.Context, t Target, s *reader.Store, o PartOptions) (use profileset.ShapeUse,
	err error) {
	if !o.OneShape {
		return UseOf(ctx, s)
	}
	var have disk.Shape
	t.Locked(func() { have = t.Shape })
	if shape := disk.ShapeOfParams(&s.Header().Params); !shape.SameSettings(have) {
		err = fmt.Errorf("%s: %w: its VM keeps %s, the others' %s", s.Mapping().Name(), profileset.ErrMismatch,
			describeShape(shape), describeShape(have))
	}
	return use, err
}

// PartOf returns the part of a merge that an archive holds. ok is false if the archive is not a part.
func PartOf(s *reader.Store) (p Part, ok bool, err error) {
	t, err := s.TableOrEmpty(disk.TableProperties)
	if err != nil {
		return p, false, err
	}
	for row := range t.Rows {
		key, err := t.Text(0, row)
		if err != nil || key != partProperty {
			if err != nil {
				return p, false, err
			}
			continue
		}
		value, err := t.Text(1, row)
		if err == nil {
			p, err = parsePart(value)
		}
		return p, err == nil, err
	}
	return p, false, nil
}

type chooser struct {
	part  Part
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

func newChooser(p Part, s *reader.Store) *chooser {
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
		return c.part.Holds(Bound{Class: class}), nil
	}
	name, err := m.Name()
	return err == nil && c.part.Holds(Bound{class, name.String()}), err
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
	return err == nil && c.part.Holds(Bound{Class: name.String()}), err
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
	return c.part.Holds(Bound{}), nil
}

func (c *chooser) boundOfRecord(kind disk.ColumnKind, n layout.Ref) (Bound, error) {
	switch kind {
	case disk.ColumnType:
		t, err := c.s.TypeAt(n)
		if err != nil {
			return Bound{}, err
		}
		name, err := t.Name()
		return Bound{Class: name.String()}, err
	case disk.ColumnContext:
		node, err := c.s.ContextAt(n)
		if err != nil {
			return Bound{}, err
		}
		return boundOfMethod(node.Method())
	}
	return Bound{}, fmt.Errorf("%s: unknown column kind %d", c.s.Mapping().Name(), kind)
}

func boundOfMethod(m reader.Method, err error) (Bound, error) {
	if err != nil {
		return Bound{}, err
	}
	k, err := m.Key()
	return boundOf(k), err
}
