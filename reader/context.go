package reader

import (
	"slices"

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
	s   *Store
	at  layout.Narrow
	rec layout.ContextRecord
}

// context fetches the context record at n.
func (s *Store) context(n layout.Narrow) (Context, error) {
	at := n.Offset()
	if !s.isContext(n) {
		return Context{}, s.corrupt(layout.RegionRO, at, "no context record begins here")
	}
	b, err := s.m.Bytes(layout.RegionRO, at, layout.ContextSize)
	if err != nil {
		return Context{}, err
	}
	rec := layout.ParseContext(b)
	if rec.Depth == 0 || (rec.Depth == 1) != (rec.Parent == 0) || rec.Parent >= n {
		return Context{}, s.corrupt(layout.RegionRO, at, "a context of depth %d with its parent at 0x%x", rec.Depth, rec.Parent.Offset())
	}
	return Context{s, n, rec}, nil
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
func (c Context) Depth() int { return int(c.rec.Depth) }

// Ref is the place of the context's record.
func (c Context) Ref() layout.Narrow { return c.at }

// Method is the method that the context belongs to.
func (c Context) Method() (Method, error) {
	if c.s == nil {
		return Method{}, ErrNotFound
	}
	return c.s.method(c.rec.Method)
}

// Frames gives the frames, the direct caller first.
func (c Context) Frames() ([]Frame, error) {
	if c.s == nil {
		return nil, nil
	}
	var frames []Frame
	for {
		caller, err := c.s.method(c.rec.Caller)
		if err != nil {
			return nil, err
		}
		frames = append(frames, Frame{caller, c.rec.Point})
		if c.rec.Parent == 0 {
			slices.Reverse(frames)
			return frames, nil
		}
		if c, err = c.parent(); err != nil {
			return nil, err
		}
	}
}

// parent fetches the node with one frame less.
func (c Context) parent() (Context, error) {
	p, err := c.s.context(c.rec.Parent)
	if err != nil {
		return Context{}, err
	}
	if p.rec.Depth+1 != c.rec.Depth || p.rec.Method != c.rec.Method {
		return Context{}, c.s.corrupt(layout.RegionRO, c.at.Offset(), "a context of depth %d whose parent at 0x%x has depth %d", c.rec.Depth, p.at.Offset(), p.rec.Depth)
	}
	return p, nil
}

// child looks up the node that adds a frame to c. The zero Context stands for
// the method itself. The result is the zero Context if there is no such node.
func (m Method) child(c Context, f Frame) (Context, error) {
	if f.Caller.s != m.s {
		return Context{}, nil
	}
	parent := m.id
	if c.s != nil {
		parent = c.rec.ID
	}
	id := layout.ContextID(parent, f.Caller.id, f.Point)
	for q := m.s.search(id, layout.KindContext); ; {
		n, err := q.next()
		if n == 0 || err != nil {
			return Context{}, err
		}
		if !m.s.isContext(n) {
			continue
		}
		node, err := m.s.context(n)
		if err != nil {
			return Context{}, err
		}
		if r := &node.rec; r.ID == id && r.Parent == c.at && r.Method == m.at && r.Caller == f.Caller.at && r.Point == f.Point {
			return node, nil
		}
	}
}
