package reduce

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// leaveToBase drops methods that the base has, too. It runs last, so that other options apply to all methods.
func (c *selection) leaveToBase(s *reader.Store, r *Options) error {
	if r.Base == nil {
		return nil
	}
	if err := checkBase(s, r); err != nil {
		return err
	}
	of := &comparison{base: r.Base, mayDiffer: r.MayDiffer}
	c.left = map[layout.Ref]bool{}
	err := poll.Each(poll.New(c.ctx), s.Methods(), func(m reader.Method) error {
		if !c.keepsMethod(m.Ref()) {
			return nil
		}
		has, err := of.baseContains(m)
		if err == nil && has {
			delete(c.keep, m.Ref())
			c.left[m.Ref()] = true
		}
		return err
	})
	c.out.LeftToBase = uint64(len(c.left))
	return err
}

func checkBase(s *reader.Store, r *Options) error {
	on, layer, err := s.Base()
	if err != nil {
		return err
	}
	if r.Names != nil {
		return fmt.Errorf("%w: new names of %s would not be those of its base: replace the names of the whole archive and "+
			"of the base, with one key, and make the layer then",
			builder.ErrMismatch, s.Mapping().Name())
	}
	h := s.Header()
	base := r.Base.Header()
	if h.Domain != base.Domain || h.ProducerID != base.ProducerID {
		return fmt.Errorf("%w: %s has profiles of %s, and %s of %s: a layer and its base are of one VM", builder.ErrMismatch,
			s.Mapping().Name(), h.Domain, r.Base.Mapping().Name(), base.Domain)
	}
	if layer && !disk.IsSameBase(on, base.AsBase()) {
		return fmt.Errorf("%w: %s is a layer on %s, and %s is %s: put it and its base together first", builder.ErrMismatch,
			s.Mapping().Name(), on.ID(), r.Base.Mapping().Name(), base.AsBase().ID())
	}
	return nil
}

type comparison struct {
	base      *reader.Store
	mayDiffer layout.Weight
	own, its  methodText
}

func (c *comparison) baseContains(m reader.Method) (bool, error) {
	k, err := m.Key()
	if err != nil {
		return false, err
	}
	in, err := c.base.Find(k)
	if errors.Is(err, reader.ErrNotFound) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	own, errOwn := versionsOf(m)
	its, errIts := versionsOf(in)
	if err := cmp.Or(errOwn, errIts); err != nil {
		return false, err
	}
	if len(own) == 0 { // without profiles, only execution matters
		return len(its) > 0 || in.Unexecuted() == m.Unexecuted(), nil
	}
	if !maps.EqualFunc(own, its, func(_, _ reader.Profile) bool { return true }) { // other versions
		return false, nil
	}
	if c.mayDiffer > 0 {
		return c.countsAreSimilar(own, its)
	}
	return c.hasEqualText(m, in)
}

func (c *comparison) hasEqualText(m, in reader.Method) (bool, error) {
	own, errOwn := c.own.writeMethod(m)
	its, errIts := c.its.writeMethod(in)
	return bytes.Equal(own, its), cmp.Or(errOwn, errIts)
}

type methodText struct {
	text bytes.Buffer
	w    *bufio.Writer
}

func (t *methodText) writeMethod(m reader.Method) ([]byte, error) {
	if t.w == nil {
		t.w = bufio.NewWriterSize(&t.text, 1<<16) // package dump uses a buffer of this size as it is
	}
	t.text.Reset()
	t.w.Reset(&t.text)
	err := errors.Join(jsondump.WriteMethod(t.w, m.Store(), m), t.w.Flush())
	return t.text.Bytes(), err
}

func versionsOf(m reader.Method) (_ map[string]reader.Profile, err error) {
	versions := map[string]reader.Profile{}
	for p := range poll.Values(m.Profiles(), &err) {
		of := binary.LittleEndian.AppendUint64(nil, p.Code())
		c, inContext, failed := p.Context()
		err = failed
		if inContext {
			of = appendContext(of, c, &err)
		}
		versions[string(of)] = p
	}
	return versions, err
}

// appendContext and the functions below keep the first error in failed.
func appendContext(b []byte, c reader.Context, failed *error) []byte {
	frames, err := c.Frames()
	*failed = cmp.Or(*failed, err)
	for _, f := range frames {
		b = appendMethod(b, f.Caller, failed)
		b = binary.LittleEndian.AppendUint32(b, uint32(f.Point))
	}
	return b
}

func (c *comparison) countsAreSimilar(own, its map[string]reader.Profile) (bool, error) {
	if c.mayDiffer >= layout.WeightOne {
		return true, nil
	}
	for of, p := range own {
		x, errX := countsOf(p)
		y, errY := countsOf(its[of])
		if err := cmp.Or(errX, errY); err != nil {
			return false, err
		}
		if 1-countOverlap(x, y) > float64(c.mayDiffer)/float64(layout.WeightOne) {
			return false, nil
		}
	}
	return true, nil
}

func countOverlap(x, y map[string]uint64) (common float64) {
	sumX := sumOfCounts(x)
	sumY := sumOfCounts(y)
	if sumX == 0 || sumY == 0 {
		if sumX == sumY {
			return 1
		}
		return 0
	}
	for of, n := range x {
		common += min(float64(n)/sumX, float64(y[of])/sumY)
	}
	return common
}

func sumOfCounts(counts map[string]uint64) (sum float64) {
	for _, n := range counts {
		sum += float64(n)
	}
	return sum
}

// countsOf returns the counts of a profile by entry and row. Keys contain the types, methods and values of the row. A
// row without them has its number.
func countsOf(p reader.Profile) (counts map[string]uint64, err error) {
	counts = map[string]uint64{}
	shape := (*mapped.Mapping)(p.Store().Mapping()).Shape()
	for e := range p.Entries() {
		raw := disk.Entry(e.Bytes())
		of := binary.LittleEndian.AppendUint32([]byte{byte(raw.Tag())}, uint32(e.Point()))
		of = append(of, byte(raw.Sub()), byte(raw.Sub()>>8))
		for cell, kind := range shape.Identity(raw) {
			of = appendKey(of, e, cell, kind, &err)
		}
		group := byte(0)
		signed := shape.SignedCell(raw)
		for rows := range shape.Groups(raw) {
			for row := range rows.N {
				key := appendRowKey(append(of, group), e, rows, row, &err)
				addRowCounts(counts, key, e, rows, row, signed)
			}
			group++
		}
	}
	return counts, err
}

func appendRowKey(of []byte, e reader.Entry, rows disk.Rows, row int, failed *error) []byte {
	keyed := false
	for i, c := range rows.Cells {
		if disk.IsKey(c.Kind) {
			keyed = true
			of = appendKey(of, e, rows.Cell(row, i), c.Kind, failed)
		}
	}
	if !keyed {
		of = binary.LittleEndian.AppendUint32(of, uint32(row))
	}
	return of
}

func addRowCounts(counts map[string]uint64, of []byte, e reader.Entry, rows disk.Rows, row, signed int) {
	for i, c := range rows.Cells {
		if c.Kind != disk.CellCount {
			continue
		}
		n := e.Cell(rows.Cell(row, i)).Trained()
		if rows.Cell(row, i) == signed {
			n = uint64(max(int64(n), 0))
		}
		key := string(append(of, byte(i)))
		counts[key] = disk.SaturatingAdd(counts[key], n)
	}
}

func appendKey(b []byte, e reader.Entry, cell int, kind disk.CellKind, failed *error) []byte {
	v := e.Cell(cell).Trained()
	switch kind {
	case disk.CellType, disk.CellTypeWord:
		w := e.TypeCell(cell)
		if kind == disk.CellTypeWord {
			b = append(b, byte(v&disk.TypeTags))
		}
		if !w.Type.Valid() {
			return append(b, 0)
		}
		return appendType(b, w.Type, failed)
	case disk.CellMethod:
		m, err := e.MethodCell(cell)
		*failed = cmp.Or(*failed, err)
		if !m.Valid() {
			return append(b, 0)
		}
		return appendMethod(b, m, failed)
	}
	return binary.LittleEndian.AppendUint64(b, v)
}

func appendType(b []byte, t reader.Type, failed *error) []byte {
	name, errName := t.Name()
	loader, errLoader := t.Loader()
	*failed = cmp.Or(*failed, errName, errLoader)
	return append(loader.AppendTo(append(name.AppendTo(append(b, 1)), 0)), 0)
}

func appendMethod(b []byte, m reader.Method, failed *error) []byte {
	k, err := m.Key()
	*failed = cmp.Or(*failed, err)
	for _, text := range []string{k.Class, k.Name, k.Signature, k.Loader} {
		b = append(append(b, text...), 0)
	}
	return b
}
