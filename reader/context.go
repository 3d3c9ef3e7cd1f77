package reader

import (
	"runtime"

	"github.com/profarc/profarc/internal/disk"
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
	at     layout.Ref
	method layout.Ref
	rec    disk.ContextRecord
}

// contextRecord fetches the context record at n.
func (s *Store) contextRecord(n layout.Ref) (disk.ContextRecord, error) {
	if !s.isContext(n) {
		return disk.ContextRecord{}, s.corrupt(layout.RegionRO, n.Offset(), "no context record begins here")
	}
	if err := s.m.Check(layout.RegionRO, n.Offset(), disk.ContextSize); err != nil {
		return disk.ContextRecord{}, err
	}
	rec := disk.ParseContext(s.data[n.Offset():])
	runtime.KeepAlive(s)
	return rec, nil
}

// context fetches the context at n. The first time it goes up from there to the
// method that the context belongs to, and remembers it for all contexts on the
// way: however deep they are, going up from each of them takes a step for each.
func (s *Store) context(n layout.Ref) (Context, error) {
	rec, err := s.contextRecord(n)
	if err != nil {
		return Context{}, err
	}
	method := s.leaves.of(s, n)
	if method == 0 {
		if method, err = s.goUp(n, rec); err != nil {
			return Context{}, err
		}
	}
	return Context{s, n, method, rec}, nil
}

// goUp goes up from the context at n to its method, or to a context whose method
// is known. The method must have all of them among its nodes: as a parent lies
// before its child, it has those between the ends if it has these.
func (s *Store) goUp(n layout.Ref, rec disk.ContextRecord) (method layout.Ref, err error) {
	top := n
	for depth := 1; method == 0; depth++ {
		switch {
		case s.inMethods(rec.Parent):
			method = rec.Parent
			continue
		case rec.Parent >= top || depth == disk.MaxDepth:
			return 0, s.corrupt(layout.RegionRO, top.Offset(), "a context with its parent at 0x%x", rec.Parent.Offset())
		}
		top = rec.Parent
		if rec, err = s.contextRecord(top); err != nil {
			return 0, err
		}
		method = s.leaves.of(s, top)
	}
	m, err := s.referred(method)
	if err != nil {
		return 0, err
	}
	t, err := m.trie()
	if err == nil && !(t.holds(top) && t.holds(n)) {
		err = s.corrupt(layout.RegionRO, n.Offset(), "a context that the method at 0x%x does not have", method.Offset())
	}
	if err != nil {
		return 0, err
	}
	for at := n; ; {
		s.leaves.note(s, at, method)
		if at == top {
			return method, nil
		}
		c := Context{s: s, at: at}
		if c.rec, err = s.contextRecord(at); err == nil {
			err = c.up()
		}
		if err != nil {
			return 0, err
		}
		at = c.at
	}
}

// ContextAt returns the context whose record lies at n; the error matches
// ErrNotFound for 0.
func (s *Store) ContextAt(n layout.Ref) (Context, error) {
	if n == 0 {
		return Context{}, ErrNotFound
	}
	return s.context(n)
}

// Depth is the number of frames. It takes a step for each of them.
func (c Context) Depth() (depth int) {
	for inner := c.s != nil; inner; depth++ {
		inner = c.Inner() != 0
		if inner && c.up() != nil {
			return depth
		}
	}
	return depth
}

// up makes c the context with one frame fewer, which it must have.
func (c *Context) up() (err error) {
	if c.rec.Parent >= c.at { // it was changed since it was checked
		return c.s.corrupt(layout.RegionRO, c.at.Offset(), "a context with its parent at 0x%x", c.rec.Parent.Offset())
	}
	c.at = c.rec.Parent
	c.rec, err = c.s.contextRecord(c.at)
	return err
}

// Ref is the place of the context's record.
func (c Context) Ref() layout.Ref { return c.at }

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
func (c Context) Inner() layout.Ref {
	if c.rec.Parent == c.method {
		return 0
	}
	return c.rec.Parent
}

// Frames returns the frames, the direct caller first. It takes a step for each of
// them: who asks for those of many contexts iterates over them with Inner and
// Caller instead, so that a frame that they share is looked at once.
func (c Context) Frames() ([]Frame, error) {
	if c.s == nil {
		return nil, nil
	}
	frames := make([]Frame, c.Depth())
	for i := len(frames) - 1; ; i-- {
		f, err := c.Caller()
		if err != nil {
			return nil, err
		}
		frames[i] = f
		if i == 0 {
			return frames, nil
		}
		if err := c.up(); err != nil {
			return nil, err
		}
	}
}
