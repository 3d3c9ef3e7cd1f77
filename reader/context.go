package reader

import (
	"runtime"

	"github.com/profarc/profarc/layout"
)

// A Frame is one caller in a calling context: where, in which method, the call
// stands.
type Frame struct {
	Caller Method
	Point  int32
}

// A Context is a node of a method's calling contexts.
type Context struct {
	s      *Store
	at     layout.Narrow
	method layout.Narrow
	depth  int
	rec    layout.ContextRecord
}

// contextRecord fetches the context record at n.
func (s *Store) contextRecord(n layout.Narrow) (layout.ContextRecord, error) {
	if !s.isContext(n) {
		return layout.ContextRecord{}, s.corrupt(layout.RegionRO, n.Offset(), "no context record begins here")
	}
	if err := s.m.Check(layout.RegionRO, n.Offset(), layout.ContextSize); err != nil {
		return layout.ContextRecord{}, err
	}
	rec := layout.ParseContext(s.data[n.Offset():])
	runtime.KeepAlive(s)
	return rec, nil
}

// context fetches the context at n, and goes up from there to its method, which
// must have it among its nodes.
func (s *Store) context(n layout.Narrow) (Context, error) {
	rec, err := s.contextRecord(n)
	c := Context{s: s, at: n, depth: 1, rec: rec}
	for top := n; err == nil; c.depth++ {
		if s.inMethods(rec.Parent) {
			c.method = rec.Parent
			return c, c.belongs(top)
		}
		if rec.Parent >= top || c.depth == layout.MaxDepth {
			return Context{}, s.corrupt(layout.RegionRO, top.Offset(), "a context with its parent at 0x%x", rec.Parent.Offset())
		}
		top = rec.Parent
		rec, err = s.contextRecord(top)
	}
	return Context{}, err
}

// belongs checks that the method has the nodes from the one of depth 1 on to c.
func (c *Context) belongs(top layout.Narrow) error {
	m, err := c.s.referred(c.method)
	if err != nil {
		return err
	}
	t, err := m.trie()
	if err == nil && !(t.holds(top) && t.holds(c.at)) {
		err = c.s.corrupt(layout.RegionRO, c.at.Offset(), "a context that the method at 0x%x does not have", c.method.Offset())
	}
	return err
}

// ContextAt gives the context whose record lies at n; the error matches
// ErrNotFound for 0.
func (s *Store) ContextAt(n layout.Narrow) (Context, error) {
	if n == 0 {
		return Context{}, ErrNotFound
	}
	return s.context(n)
}

// Depth is the number of frames.
func (c Context) Depth() int { return c.depth }

// Ref is the place of the context's record.
func (c Context) Ref() layout.Narrow { return c.at }

// Profiled reports whether the method has a profile in this context itself.
func (c Context) Profiled() bool { return c.rec.Profiles != 0 }

// Method is the method that the context belongs to.
func (c Context) Method() (Method, error) {
	if c.s == nil {
		return Method{}, ErrNotFound
	}
	return c.s.referred(c.method)
}

// Caller is the outermost frame: the one that the context adds to its Inner.
func (c Context) Caller() (Frame, error) {
	if c.s == nil {
		return Frame{}, ErrNotFound
	}
	caller, err := c.s.referred(c.rec.Caller)
	return Frame{caller, c.rec.Point}, err
}

// Inner is the place of the context with one frame fewer, 0 if there is none.
func (c Context) Inner() layout.Narrow {
	if c.depth <= 1 {
		return 0
	}
	return c.rec.Parent
}

// Frames gives the frames, the direct caller first.
func (c Context) Frames() ([]Frame, error) {
	if c.s == nil {
		return nil, nil
	}
	frames, rec := make([]Frame, c.depth), c.rec
	for i := c.depth - 1; ; i-- {
		caller, err := c.s.referred(rec.Caller)
		if err != nil {
			return nil, err
		}
		frames[i] = Frame{caller, rec.Point}
		if i == 0 {
			return frames, nil
		}
		if rec, err = c.s.contextRecord(rec.Parent); err != nil {
			return nil, err
		}
	}
}
