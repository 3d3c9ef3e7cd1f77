package reader

import (
	"github.com/profarc/profarc/layout"
)

// A chain iterates over the MethodData blocks of one method in one context,
// which are linked by ascending code id and lie at ascending places.
type chain struct {
	s       *Store
	method  layout.Ref
	context layout.Ref
	next    layout.Ref
	code    uint64 // of the profile before
	begun   bool
}

// chain begins at the first profile of m in a context node, or without one.
func (m Method) chain(first, context layout.Ref) chain {
	return chain{s: m.s, method: m.at, context: context, next: first}
}

// step puts the next profile into p, or the zero Profile at the end.
func (c *chain) step(p *Profile) error {
	if c.next == 0 {
		*p = Profile{}
		return nil
	}
	at := c.next
	b, err := c.s.block(at)
	if err != nil {
		return err
	}
	context, next := b.Links()
	code := b.Code()
	switch {
	case b.Method() != c.method:
		return c.corrupt(at, "the profile is of the method at 0x%x, 0x%x leads to it", b.Method().Offset(), c.method.Offset())
	case context != c.context:
		return c.corrupt(at, "the profile is in context 0x%x, 0x%x leads to it", context.Offset(), c.context.Offset())
	case c.begun && code <= c.code:
		return c.corrupt(at, "the profile is of code %#x, which follows %#x", code, c.code)
	case next != 0 && next <= at:
		return c.corrupt(at, "the next profile of the method lies before, at 0x%x", next.Offset())
	}
	c.next, c.code, c.begun = next, code, true
	p.s, p.place, p.adopted = c.s, placeOf(at, b), false
	return nil
}

func (c *chain) corrupt(at layout.Ref, format string, args ...any) error {
	return c.s.corrupt(layout.RegionRW, at.Offset(), format, args...)
}

// ofCode puts the profile of a version of the code into p, or the only one for
// AnyCode; ErrNotFound or ErrAmbiguous otherwise, and p is of no use.
func (c *chain) ofCode(code uint64, p *Profile) error {
	for {
		err := c.step(p)
		switch {
		case err != nil:
			return err
		case p.s == nil:
			return ErrNotFound
		case code == AnyCode && c.next != 0:
			return ErrAmbiguous
		case code == AnyCode || c.code == code:
			return nil
		case c.code > code:
			return ErrNotFound
		}
	}
}
