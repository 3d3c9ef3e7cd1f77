package text

import (
	"github.com/profarc/profarc/internal/disk"
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
	for c, err := range m.Contexts() {
		if w.failed(err) {
			return
		}
		w.nodes = append(w.nodes, c)
	}
	w.implied = append(w.implied[:0], make([]bool, len(w.nodes))...)
	for _, c := range w.nodes {
		if inner := c.Inner(); inner != 0 {
			w.implied[(inner-w.nodes[0].Ref())/(disk.ContextSize/disk.Unit)] = true
		}
	}
	for i, c := range w.nodes {
		if !w.implied[i] && !c.Profiled() {
			w.text("  context")
			w.frames(c)
			w.end()
		}
	}
}

// frames writes the frames of a context, the direct caller first.
func (w *writer) frames(c reader.Context) {
	frames, err := c.Frames()
	if w.failed(err) {
		return
	}
	for _, f := range frames {
		w.text(" <- ")
		w.methodRef(f.Caller)
		w.text(" @")
		w.signed(int64(f.Point))
	}
}
