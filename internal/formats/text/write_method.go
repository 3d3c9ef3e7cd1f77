package text

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (w *writer) allMethods() {
	for m, err := range w.s.Methods() {
		if w.failed(err) {
			return
		}
		w.blankLine()
		w.methodLine(m)
		w.contexts(m)
		for p, err := range m.Profiles() {
			if w.failed(err) {
				return
			}
			w.profile(p)
		}
		if w.err != nil {
			return
		}
	}
}

func (w *writer) methodLine(m reader.Method) {
	w.report.Methods++
	w.text("method ")
	w.methodRef(m)
	if access := m.Access(); access != 0 {
		w.text(" access=")
		w.bits(accessFlags, uint64(access))
	}
	if m.Flags()&layout.MethodNotMatchable != 0 {
		w.text(" not-matchable")
	}
	if m.NeverRan() {
		w.text(" never-ran")
	}
	w.end()
}

// contexts writes the contexts of a method that neither have a profile nor lead
// to one that is written: all others are there because of those.
func (w *writer) contexts(m reader.Method) {
	w.nodes = w.nodes[:0]
	var first layout.Narrow
	for c, err := range m.Contexts() {
		if w.failed(err) {
			return
		}
		if len(w.nodes) == 0 {
			first = c.Ref()
		}
		w.nodes = append(w.nodes, w.node(c.Ref()))
	}
	w.implied = append(w.implied[:0], make([]bool, len(w.nodes))...)
	// A parent lies before its children, and behind the method.
	for i := len(w.nodes) - 1; i >= 0; i-- {
		if p := w.nodes[i].Parent; p >= first {
			w.implied[(p-first)/(layout.ContextSize/layout.Unit)] = true
		}
	}
	for i, n := range w.nodes {
		if !w.implied[i] && n.Profiles == 0 {
			w.text("  context")
			w.frames(w.context(first + layout.Narrow(i*layout.ContextSize/layout.Unit)))
			w.end()
		}
	}
}

// context fetches a context.
func (w *writer) context(n layout.Narrow) reader.Context {
	c, err := w.s.ContextAt(n)
	w.failed(err)
	return c
}

// node fetches the record of a context.
func (w *writer) node(n layout.Narrow) (r layout.ContextRecord) {
	b, err := w.s.Mapping().Bytes(layout.RegionRO, n.Offset(), layout.ContextSize)
	if w.failed(err) {
		return r
	}
	return layout.ParseContext(b)
}

// frames writes the frames of a context, the direct caller first.
func (w *writer) frames(c reader.Context) {
	frames := w.chain[:0]
	for n := c.Ref(); len(frames) < c.Depth(); {
		r := w.node(n)
		if w.err != nil {
			return
		}
		frames = append(frames, r)
		n = r.Parent
	}
	w.chain = frames
	for i := len(frames) - 1; i >= 0; i-- {
		w.text(" <- ")
		w.methodAt(frames[i].Caller)
		w.text(" @")
		w.signed(int64(frames[i].Point))
	}
}
