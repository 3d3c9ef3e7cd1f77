package reduce

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
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
	steps := poll.New(c.ctx)
	for m, err := range s.Methods() {
		if err = cmp.Or(err, steps.Err()); err != nil {
			return err
		}
		if !c.keepsMethod(m.Ref()) {
			continue
		}
		has, err := of.baseContains(m)
		if err != nil {
			return err
		}
		if has {
			delete(c.keep, m.Ref())
			c.left[m.Ref()] = true
		}
	}
	c.out.LeftToBase = uint64(len(c.left))
	return nil
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

// baseContains reports whether the base contains all that the archive has about a method, so that lookups agree.
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
	own, err := versionsOf(m)
	if err != nil {
		return false, err
	}
	its, err := versionsOf(in)
	if err != nil {
		return false, err
	}
	if len(own) == 0 { // without profiles, only execution matters
		return len(its) > 0 || in.Unexecuted() == m.Unexecuted(), nil
	}
	if !sameVersions(own, its) {
		return false, nil
	}
	if c.mayDiffer > 0 {
		return c.countsAreSimilar(own, its)
	}
	return c.hasEqualText(m, in)
}

// hasEqualText reports whether two methods are equal in every count, row and flag, by their text in the JSON dump.
func (c *comparison) hasEqualText(m, in reader.Method) (bool, error) {
	own, err := c.own.writeMethod(m)
	if err != nil {
		return false, err
	}
	its, err := c.its.writeMethod(in)
	return bytes.Equal(own, its), err
}

// A methodText holds the text of one method at a time.
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
