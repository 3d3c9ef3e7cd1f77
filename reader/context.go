package reader

import (
	"iter"
	"runtime"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Frame is a call site in a calling context.
type Frame struct {
	Caller Method
	Point  int32
}

// A Context is a node of a method's calling contexts. The zero Context has no frames and no method.
type Context struct {
	s      *Store
	at     layout.Ref
	method layout.Ref
	rec    disk.ContextRecord
}

func (s *Store) readContextRecord(n layout.Ref) (disk.ContextRecord, error) {
	if !s.isContext(n) {
		return disk.ContextRecord{}, s.corruptError(disk.RegionRO, n.Offset(), "no context record begins here")
	}
	if err := s.m.Check(disk.RegionRO, n.Offset(), disk.ContextSize); err != nil {
		return disk.ContextRecord{}, err
	}
	rec := disk.ParseContext(s.data[n.Offset():])
	runtime.KeepAlive(s)
	return rec, nil
}

// readContext returns the context at n. The first time it follows the parents up to the method of the context and
// caches the method for all contexts on the way.
func (s *Store) readContext(n layout.Ref) (Context, error) {
	rec, err := s.readContextRecord(n)
	if err != nil {
		return Context{}, err
	}
	method := s.methodOfContext(n)
	if method == 0 {
		method, err = s.findContextMethod(n, rec)
		if err != nil {
			return Context{}, err
		}
	}
	return Context{s, n, method, rec}, nil
}

// findContextMethod follows parents from the context at n to its method, or to a context whose method is cached. All
// visited contexts must be nodes of that method. Because parents precede their children, checking the first and the
// last is sufficient.
func (s *Store) findContextMethod(n layout.Ref, rec disk.ContextRecord) (method layout.Ref, err error) {
	top := n
	for depth := 1; method == 0; depth++ {
		switch {
		case s.isInMethods(rec.Parent):
			method = rec.Parent
			continue
		case rec.Parent >= top || depth == disk.MaxDepth:
			return 0, s.corruptError(disk.RegionRO, top.Offset(), "a context with its parent at 0x%x", rec.Parent.Offset())
		}
		top = rec.Parent
		rec, err = s.readContextRecord(top)
		if err != nil {
			return 0, err
		}
		method = s.methodOfContext(top)
	}
	m, err := s.readReferredMethod(method)
	if err != nil {
		return 0, err
	}
	t, err := m.contextTrie()
	if err == nil && !(t.containsNode(top) && t.containsNode(n)) {
		err = s.corruptError(disk.RegionRO, n.Offset(), "a context that the method at 0x%x does not have", method.Offset())
	}
	if err != nil {
		return 0, err
	}
	for at := n; ; {
		s.contextMethods.At(s.contextNumber(at)).Store(uint64(method))
		if at == top {
			return method, nil
		}
		c := Context{s: s, at: at}
		c.rec, err = s.readContextRecord(at)
		if err == nil {
			err = c.moveToParent()
		}
		if err != nil {
			return 0, err
		}
		at = c.at
	}
}

// ContextAt returns the context whose record is at n. The error matches ErrNotFound if n is 0.
func (s *Store) ContextAt(n layout.Ref) (Context, error) {
	if n == 0 {
		return Context{}, ErrNotFound
	}
	return s.readContext(n)
}

func (c Context) countFrames() (depth int) {
	for inner := c.s != nil; inner; depth++ {
		inner = c.Inner() != 0
		if inner && c.moveToParent() != nil {
			return depth
		}
	}
	return depth
}

func (c *Context) moveToParent() (err error) {
	if c.rec.Parent >= c.at { // the file changed after the check
		return c.s.corruptError(disk.RegionRO, c.at.Offset(), "a context with its parent at 0x%x", c.rec.Parent.Offset())
	}
	c.at = c.rec.Parent
	c.rec, err = c.s.readContextRecord(c.at)
	return err
}

// Ref returns the reference of the context's record.
func (c Context) Ref() layout.Ref { return c.at }

// Method returns the method that the context belongs to.
func (c Context) Method() (Method, error) {
	if c.s == nil {
		return Method{}, ErrNotFound
	}
	return c.s.readReferredMethod(c.method)
}

// Caller returns the outermost frame. It is the frame that Inner lacks.
func (c Context) Caller() (Frame, error) {
	if c.s == nil {
		return Frame{}, ErrNotFound
	}
	caller, err := c.s.readReferredMethod(c.rec.Caller)
	return Frame{caller, c.rec.Point}, err
}

// Inner returns the reference of the context without the outermost frame; 0 if there are no other frames.
func (c Context) Inner() layout.Ref {
	if c.rec.Parent == c.method {
		return 0
	}
	return c.rec.Parent
}

// Frames returns the frames in linear time, the direct caller first. For many contexts use Inner and Caller, which
// visit shared frames once.
func (c Context) Frames() ([]Frame, error) {
	if c.s == nil {
		return nil, nil
	}
	frames := make([]Frame, c.countFrames())
	for i := len(frames) - 1; ; i-- {
		f, err := c.Caller()
		if err != nil {
			return nil, err
		}
		frames[i] = f
		if i == 0 {
			return frames, nil
		}
		if err := c.moveToParent(); err != nil {
			return nil, err
		}
	}
}

// A trie is the context nodes of a method, sorted by parent, caller and point. Parents precede their children.
type trie struct {
	s      *Store
	method layout.Ref
	first  layout.Ref
	n      int64

	checked bool // the pages of all nodes are checked
}

// nodeUnits is the size of a node in units of 8 bytes.
const nodeUnits = disk.ContextSize / disk.Unit

func (m Method) contextTrie() (trie, error) {
	first, n := m.head.Contexts(m.s.data[m.at.Offset():])
	t := trie{s: m.s, method: m.at, first: first, n: int64(n)}
	if n == 0 {
		return t, nil
	}
	section := &m.s.h.Parts[disk.PartContexts]
	if !(m.s.isContext(t.first) && section.Holds(t.first.Offset(), t.n*disk.ContextSize)) {
		return trie{}, m.s.corruptError(disk.RegionRO, m.at.Offset(), "%d contexts from 0x%x on", t.n, t.first.Offset())
	}
	t.checked = t.n > 0 && t.n <= fewNodes && m.s.m.Check(disk.RegionRO, t.first.Offset(), t.n*disk.ContextSize) == nil
	return t, nil
}

// fewNodes is the number of nodes that fit into a page. Tries of up to that size are checked as a whole.
const fewNodes = disk.PageSize / disk.ContextSize

func (t *trie) nodeRef(i int64) layout.Ref { return t.first + layout.Ref(i*nodeUnits) }
func (t *trie) containsNode(n layout.Ref) bool {
	return n >= t.first && int64(n-t.first) < t.n*nodeUnits
}

func (t *trie) readNode(i int64) (rec disk.ContextRecord, err error) {
	at := t.nodeRef(i).Offset()
	if !t.checked {
		if err := t.s.m.Check(disk.RegionRO, at, disk.ContextSize); err != nil {
			return rec, err
		}
	}
	rec = disk.ParseContext(t.s.data[at:])
	runtime.KeepAlive(t.s)
	return rec, nil
}

type descent struct {
	trie
	at    layout.Ref // current node; initially the method
	after int64      // index of the first node that can be a child
}

func (d *descent) stepToCaller(caller layout.Ref, point int32) (profiles layout.Ref, err error) {
	if d.checked {
		return d.stepChecked(uint64(d.at)<<32|uint64(caller), point)
	}
	want := disk.ContextRecord{Parent: d.at, Caller: caller, Point: point}
	for low, high := d.after, d.n; low < high; {
		mid := int64(uint64(low+high) / 2)
		node, err := d.readNode(mid)
		if err != nil {
			return 0, err
		}
		switch node.Compare(want) {
		case -1:
			low = mid + 1
		case 1:
			high = mid
		default:
			d.at = d.nodeRef(mid)
			d.after = mid + 1
			return node.Profiles, nil
		}
	}
	return 0, ErrNotFound
}

func (d *descent) stepChecked(callers uint64, point int32) (profiles layout.Ref, err error) {
	data := &d.s.hit.data
	for low, high := d.after, d.n; low < high; {
		mid := int64(uint64(low+high) / 2)
		at := uint64(d.nodeRef(mid)) * disk.Unit
		have := disk.ContextCallers(data.Uint64(at))
		last := data.Uint64(at + 8)
		switch p := int32(last); {
		case have == callers && p == point:
			d.at = d.nodeRef(mid)
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

// Contexts iterates over the context nodes of the method. Parents precede their children.
func (m Method) Contexts() iter.Seq2[Context, error] {
	return func(yield func(Context, error) bool) {
		if m.s == nil {
			return
		}
		t, err := m.contextTrie()
		if err != nil {
			yield(Context{}, err)
			return
		}
		w := trieWalk{trie: t, firstOfLevel: t.method}
		for i := range t.n {
			if err := w.visitNode(i); err != nil {
				yield(Context{}, err)
				return
			}
			if !yield(w.last, nil) {
				return
			}
		}
	}
}

type trieWalk struct {
	trie
	last         Context
	depth        int
	firstOfLevel layout.Ref // first node with the same depth as last
}

// visitNode moves to node i, which must sort after the previous one.
func (w *trieWalk) visitNode(i int64) error {
	rec, err := w.readNode(i)
	if err != nil {
		return err
	}
	at := w.nodeRef(i)
	if rec.Parent != w.method && !(rec.Parent < at && w.containsNode(rec.Parent) && w.s.isContext(rec.Parent)) {
		return w.s.corruptError(disk.RegionRO, at.Offset(), "a context of the method at 0x%x with its parent at 0x%x",
			w.method.Offset(), rec.Parent.Offset())
	}
	if w.last.rec.Compare(rec) >= 0 {
		return w.s.corruptError(disk.RegionRO, at.Offset(), "a context that does not sort after the one before")
	}
	if rec.Parent >= w.firstOfLevel {
		w.firstOfLevel = at
		if w.depth++; w.depth > disk.MaxDepth {
			return w.s.corruptError(disk.RegionRO, at.Offset(), "a context of %d frames", w.depth)
		}
	}
	w.last = Context{w.s, at, w.method, rec}
	return nil
}

// methodOfContext returns the cached method of a context, which records lack; 0 if it is unknown.
func (s *Store) methodOfContext(n layout.Ref) layout.Ref {
	if w := s.contextMethods.Find(s.contextNumber(n)); w != nil {
		return layout.Ref(w.Load())
	}
	return 0
}

func (s *Store) contextNumber(n layout.Ref) int64 {
	return (n.Offset() - s.h.Parts[disk.PartContexts].Offset) / disk.ContextSize
}
