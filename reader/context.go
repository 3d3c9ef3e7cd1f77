package reader

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Frame is one caller in a calling context: a call site.
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
		return disk.ContextRecord{}, s.corrupt(disk.RegionRO, n.Offset(), "no context record begins here")
	}
	if err := s.m.Check(disk.RegionRO, n.Offset(), disk.ContextSize); err != nil {
		return disk.ContextRecord{}, err
	}
	rec := disk.ParseContext(s.data[n.Offset():])
	runtime.KeepAlive(s)
	return rec, nil
}

// context fetches the context at n. The first time it follows the parents up to the method that the context
// belongs to, and notes that method for all contexts on the way, so that each context is visited once.
func (s *Store) context(n layout.Ref) (Context, error) {
	rec, err := s.contextRecord(n)
	if err != nil {
		return Context{}, err
	}
	method := s.leaves.of(s, n)
	if method == 0 {
		method, err = s.goUp(n, rec)
		if err != nil {
			return Context{}, err
		}
	}
	return Context{s, n, method, rec}, nil
}

// goUp follows parents from the context at n to its method, or to a context whose
// method is known. All of them must be nodes of the method. It suffices to check the
// first and the last, since parents lie before their children.
func (s *Store) goUp(n layout.Ref, rec disk.ContextRecord) (method layout.Ref, err error) {
	top := n
	for depth := 1; method == 0; depth++ {
		switch {
		case s.inMethods(rec.Parent):
			method = rec.Parent
			continue
		case rec.Parent >= top || depth == disk.MaxDepth:
			return 0, s.corrupt(disk.RegionRO, top.Offset(), "a context with its parent at 0x%x", rec.Parent.Offset())
		}
		top = rec.Parent
		rec, err = s.contextRecord(top)
		if err != nil {
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
		err = s.corrupt(disk.RegionRO, n.Offset(), "a context that the method at 0x%x does not have", method.Offset())
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
		c.rec, err = s.contextRecord(at)
		if err == nil {
			err = c.up()
		}
		if err != nil {
			return 0, err
		}
		at = c.at
	}
}

// ContextAt returns the context whose record is at n; the error matches ErrNotFound for 0.
func (s *Store) ContextAt(n layout.Ref) (Context, error) {
	if n == 0 {
		return Context{}, ErrNotFound
	}
	return s.context(n)
}

// depth returns the number of frames, in time linear in it.
func (c Context) depth() (depth int) {
	for inner := c.s != nil; inner; depth++ {
		inner = c.Inner() != 0
		if inner && c.up() != nil {
			return depth
		}
	}
	return depth
}

// up makes c the context with one frame fewer, which there must be.
func (c *Context) up() (err error) {
	if c.rec.Parent >= c.at { // the file was changed since the check
		return c.s.corrupt(disk.RegionRO, c.at.Offset(), "a context with its parent at 0x%x", c.rec.Parent.Offset())
	}
	c.at = c.rec.Parent
	c.rec, err = c.s.contextRecord(c.at)
	return err
}

// Ref returns the place of the context's record.
func (c Context) Ref() layout.Ref { return c.at }

// Method returns the method that the context belongs to.
func (c Context) Method() (Method, error) {
	if c.s == nil {
		return Method{}, ErrNotFound
	}
	return c.s.referred(c.method)
}

// Caller returns the outermost frame: the one that the context adds to Inner.
func (c Context) Caller() (Frame, error) {
	if c.s == nil {
		return Frame{}, ErrNotFound
	}
	caller, err := c.s.referred(c.rec.Caller)
	return Frame{caller, c.rec.Point}, err
}

// Inner returns the place of the context with one frame fewer, 0 if there is none.
func (c Context) Inner() layout.Ref {
	if c.rec.Parent == c.method {
		return 0
	}
	return c.rec.Parent
}

// Frames returns the frames, the direct caller first, in time linear in their number.
// For many contexts Inner and Caller are faster: they visit shared frames once.
func (c Context) Frames() ([]Frame, error) {
	if c.s == nil {
		return nil, nil
	}
	frames := make([]Frame, c.depth())
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

// A trie is the context nodes of a method, sorted by parent, caller and point; a parent
// comes before its children.
type trie struct {
	s      *Store
	method layout.Ref
	first  layout.Ref
	n      int64

	checked bool // the pages of all nodes
}

// nodeUnits is the size of a node in units of 8 bytes.
const nodeUnits = disk.ContextSize / disk.Unit

// trie returns the nodes that the method's record says it has.
func (m Method) trie() (trie, error) {
	first, n := m.head.Contexts(m.s.data[m.at.Offset():])
	t := trie{s: m.s, method: m.at, first: first, n: int64(n)}
	if n == 0 {
		return t, nil
	}
	section := &m.s.h.Parts[disk.PartContexts]
	if !(m.s.isContext(t.first) && section.Holds(t.first.Offset(), t.n*disk.ContextSize)) {
		return trie{}, m.s.corrupt(disk.RegionRO, m.at.Offset(), "%d contexts from 0x%x on", t.n, t.first.Offset())
	}
	t.checked = t.n > 0 && t.n <= fewNodes && m.s.m.Check(disk.RegionRO, t.first.Offset(), t.n*disk.ContextSize) == nil
	return t, nil
}

// fewNodes take no more than two pages, which are checked together.
const fewNodes = disk.PageSize / disk.ContextSize

// place returns where the i-th node is.
func (t *trie) place(i int64) layout.Ref { return t.first + layout.Ref(i*nodeUnits) }

// holds reports whether the node at n is one of the method's.
func (t *trie) holds(n layout.Ref) bool { return n >= t.first && int64(n-t.first) < t.n*nodeUnits }

// node fetches the i-th node.
func (t *trie) node(i int64) (rec disk.ContextRecord, err error) {
	at := t.place(i).Offset()
	if !t.checked {
		if err := t.s.m.Check(disk.RegionRO, at, disk.ContextSize); err != nil {
			return rec, err
		}
	}
	rec = disk.ParseContext(t.s.data[at:])
	runtime.KeepAlive(t.s)
	return rec, nil
}

// A descent goes from a method to nodes with ever more frames.
type descent struct {
	trie
	at    layout.Ref // the node that was reached; at first the method itself
	after int64      // number of the node after it; its children are among those from there on
}

func (t *trie) descend() descent { return descent{trie: *t, at: t.method} }

// step goes to the node that adds a frame, and returns its first profile. The error
// is ErrNotFound if there is no such node.
func (d *descent) step(caller layout.Ref, point int32) (profiles layout.Ref, err error) {
	if d.checked {
		return d.stepChecked(uint64(d.at)<<32|uint64(caller), point)
	}
	want := disk.ContextRecord{Parent: d.at, Caller: caller, Point: point}
	for low, high := d.after, d.n; low < high; {
		mid := int64(uint64(low+high) / 2)
		node, err := d.node(mid)
		if err != nil {
			return 0, err
		}
		switch node.Compare(want) {
		case -1:
			low = mid + 1
		case 1:
			high = mid
		default:
			d.at = d.place(mid)
			d.after = mid + 1
			return node.Profiles, nil
		}
	}
	return 0, ErrNotFound
}

// stepChecked is like step, where the pages of all nodes were checked.
func (d *descent) stepChecked(callers uint64, point int32) (profiles layout.Ref, err error) {
	data := &d.s.hit.data
	for low, high := d.after, d.n; low < high; {
		mid := int64(uint64(low+high) / 2)
		at := uint64(d.place(mid)) * disk.Unit
		have := disk.ContextCallers(data.Uint64(at))
		last := data.Uint64(at + 8)
		switch p := int32(last); {
		case have == callers && p == point:
			d.at = d.place(mid)
			d.after = mid + 1
			return layout.Ref(last >> 32), nil
		case have < callers || have == callers && p < point:
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, ErrNotFound
}

// Contexts iterates over the nodes of the method's calling contexts, parents before children.
func (m Method) Contexts() iter.Seq2[Context, error] {
	return func(yield func(Context, error) bool) {
		if m.s == nil {
			return
		}
		t, err := m.trie()
		if err != nil {
			yield(Context{}, err)
			return
		}
		w := trieWalk{trie: t, level: t.method}
		for i := range t.n {
			if err := w.next(i); err != nil {
				yield(Context{}, err)
				return
			}
			if !yield(w.last, nil) {
				return
			}
		}
	}
}

// A trieWalk iterates over all nodes in their order.
type trieWalk struct {
	trie
	last  Context
	depth int
	level layout.Ref // the first node as deep as this one
}

// next goes on to the i-th node, which must sort after the one before.
func (w *trieWalk) next(i int64) error {
	rec, err := w.node(i)
	if err != nil {
		return err
	}
	at := w.place(i)
	if rec.Parent != w.method && !(rec.Parent < at && w.holds(rec.Parent) && w.s.isContext(rec.Parent)) {
		return w.s.corrupt(disk.RegionRO, at.Offset(), "a context of the method at 0x%x with its parent at 0x%x",
			w.method.Offset(), rec.Parent.Offset())
	}
	if w.last.rec.Compare(rec) >= 0 {
		return w.s.corrupt(disk.RegionRO, at.Offset(), "a context that does not sort after the one before")
	}
	if rec.Parent >= w.level {
		w.level = at
		if w.depth++; w.depth > disk.MaxDepth {
			return w.s.corrupt(disk.RegionRO, at.Offset(), "a context of %d frames", w.depth)
		}
	}
	w.last = Context{w.s, at, w.method, rec}
	return nil
}

// leaves cache which method each context belongs to, since context records do not
// say it. A chunk is made when the first of its contexts is noted.
type leaves struct {
	once   sync.Once
	chunks []atomic.Pointer[leafChunk]
}

const leafShift = 10

type leafChunk [1 << leafShift]atomic.Uint32

// of returns the method of the context at n, 0 if it is not known yet.
func (l *leaves) of(s *Store, n layout.Ref) layout.Ref {
	chunk, i := l.chunk(s, n)
	if c := chunk.Load(); c != nil {
		return layout.Ref(c[i].Load())
	}
	return 0
}

// note sets the method of the context at n.
func (l *leaves) note(s *Store, n, method layout.Ref) {
	chunk, i := l.chunk(s, n)
	if chunk.Load() == nil {
		chunk.CompareAndSwap(nil, new(leafChunk))
	}
	chunk.Load()[i].Store(uint32(method))
}

func (l *leaves) chunk(s *Store, n layout.Ref) (*atomic.Pointer[leafChunk], int64) {
	section := s.h.Parts[disk.PartContexts]
	l.once.Do(func() {
		l.chunks = make([]atomic.Pointer[leafChunk], (section.Size/disk.ContextSize+1<<leafShift-1)>>leafShift)
	})
	i := (n.Offset() - section.Offset) / disk.ContextSize
	return &l.chunks[i>>leafShift], i & (1<<leafShift - 1)
}
