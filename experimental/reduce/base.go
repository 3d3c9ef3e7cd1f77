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
	own, err := c.own.writeMethod(m)
	if err != nil {
		return false, err
	}
	its, err := c.its.writeMethod(in)
	return bytes.Equal(own, its), err
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
		c, inContext, err := p.Context()
		if err != nil {
			return nil, err
		}
		if inContext {
			of, err = appendContext(of, c)
			if err != nil {
				return nil, err
			}
		}
		versions[string(of)] = p
	}
	return versions, err
}

func appendContext(b []byte, c reader.Context) ([]byte, error) {
	frames, err := c.Frames()
	for _, f := range frames {
		b, err = appendMethod(b, f.Caller)
		if err != nil {
			return nil, err
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(f.Point))
	}
	return b, err
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
func countsOf(p reader.Profile) (map[string]uint64, error) {
	counts := map[string]uint64{}
	shape := (*mapped.Mapping)(p.Store().Mapping()).Shape()
	for e := range p.Entries() {
		raw := disk.Entry(e.Bytes())
		of := binary.LittleEndian.AppendUint32([]byte{byte(raw.Tag())}, uint32(e.Point()))
		of = append(of, byte(raw.Sub()), byte(raw.Sub()>>8))
		var err error
		for cell, kind := range shape.Identity(raw) {
			of, err = appendKey(of, e, cell, kind)
			if err != nil {
				return nil, err
			}
		}
		group := byte(0)
		signed := shape.SignedCell(raw)
		for rows := range shape.Groups(raw) {
			for row := range rows.N {
				if err := addRowCounts(counts, append(of, group), e, rows, row, signed); err != nil {
					return nil, err
				}
			}
			group++
		}
	}
	return counts, nil
}

func addRowCounts(counts map[string]uint64, of []byte, e reader.Entry, rows disk.Rows, row, signed int) (err error) {
	keyed := false
	for i, c := range rows.Cells {
		if disk.IsKey(c.Kind) {
			keyed = true
			of, err = appendKey(of, e, rows.Cell(row, i), c.Kind)
			if err != nil {
				return err
			}
		}
	}
	if !keyed {
		of = binary.LittleEndian.AppendUint32(of, uint32(row))
	}
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
	return nil
}

func appendKey(b []byte, e reader.Entry, cell int, kind disk.CellKind) ([]byte, error) {
	v := e.Cell(cell).Trained()
	switch kind {
	case disk.CellType, disk.CellTypeWord:
		w := e.TypeCell(cell)
		if kind == disk.CellTypeWord {
			b = append(b, byte(v&disk.TypeTags))
		}
		if !w.Type.Valid() {
			return append(b, 0), nil
		}
		return appendType(b, w.Type)
	case disk.CellMethod:
		m, err := e.MethodCell(cell)
		if err != nil || !m.Valid() {
			return append(b, 0), err
		}
		return appendMethod(b, m)
	}
	return binary.LittleEndian.AppendUint64(b, v), nil
}

func appendType(b []byte, t reader.Type) ([]byte, error) {
	name, err := t.Name()
	if err != nil {
		return nil, err
	}
	loader, err := t.Loader()
	return append(loader.AppendTo(append(name.AppendTo(append(b, 1)), 0)), 0), err
}

func appendMethod(b []byte, m reader.Method) ([]byte, error) {
	k, err := m.Key()
	for _, text := range []string{k.Class, k.Name, k.Signature, k.Loader} {
		b = append(append(b, text...), 0)
	}
	return b, err
}
