package reader

import (
	"iter"
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A trie is the context nodes of a method: sorted by parent, caller and point,
// so that a parent lies before its children.
type trie struct {
	s      *Store
	method layout.Ref
	first  layout.Ref
	n      int64
}

// nodeUnits is the size of a node in units of 8 bytes.
const nodeUnits = disk.ContextSize / disk.Unit

// trie returns the nodes that the method's record says it has.
func (m Method) trie() (trie, error) {
	rec := m.record()
	t := trie{m.s, m.at, rec.Contexts, int64(rec.NumContexts)}
	section := &m.s.h.Parts[disk.PartContexts]
	if t.n > 0 && !(m.s.isContext(t.first) && section.Holds(t.first.Offset(), t.n*disk.ContextSize)) {
		return trie{}, m.s.corrupt(layout.RegionRO, m.at.Offset(), "%d contexts from 0x%x on", t.n, t.first.Offset())
	}
	return t, nil
}

// place is where the i-th node lies.
func (t *trie) place(i int64) layout.Ref { return t.first + layout.Ref(i*nodeUnits) }

// holds reports whether the node at n is one of the method's.
func (t *trie) holds(n layout.Ref) bool {
	return n >= t.first && int64(n-t.first) < t.n*nodeUnits
}

// node fetches the i-th node.
func (t *trie) node(i int64) (rec disk.ContextRecord, err error) {
	at := t.place(i).Offset()
	if err := t.s.m.Check(layout.RegionRO, at, disk.ContextSize); err != nil {
		return rec, err
	}
	rec = disk.ParseContext(t.s.data[at:])
	runtime.KeepAlive(t.s)
	return rec, nil
}

// A descent goes from a method to nodes with more and more frames.
type descent struct {
	trie
	at     layout.Ref // the node that was reached, the method itself at first
	behind int64      // the number of the first node after it: its children are among those
}

func (t *trie) descend() descent { return descent{trie: *t, at: t.method} }

// step goes on to the node that adds a frame, and gives its first profile. The
// error is ErrNotFound if there is no such node.
func (d *descent) step(caller layout.Ref, point int32) (profiles layout.Ref, err error) {
	want := disk.ContextRecord{Parent: d.at, Caller: caller, Point: point}
	for low, high := d.behind, d.n; low < high; {
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
			d.at, d.behind = d.place(mid), mid+1
			return node.Profiles, nil
		}
	}
	return 0, ErrNotFound
}

// Contexts iterates over the nodes of the method's calling contexts, parents
// before children.
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
		return w.s.corrupt(layout.RegionRO, at.Offset(), "a context of the method at 0x%x with its parent at 0x%x", w.method.Offset(), rec.Parent.Offset())
	}
	if w.last.rec.Compare(rec) >= 0 {
		return w.s.corrupt(layout.RegionRO, at.Offset(), "a context that does not sort behind the one before")
	}
	if rec.Parent >= w.level {
		w.level = at
		if w.depth++; w.depth > disk.MaxDepth {
			return w.s.corrupt(layout.RegionRO, at.Offset(), "a context of %d frames", w.depth)
		}
	}
	w.last = Context{w.s, at, w.method, rec}
	return nil
}
