package text

import (
	"io"
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Write writes the whole archive. Numbers are those of the file, not what
// adopted profiles have counted since. The error is that of the first record
// that cannot be read, or of out; what was written before it is then not
// complete: it lacks its last line.
//
// Memory does not grow with the profiles.
func Write(out io.Writer, s *reader.Store) (*Report, error) {
	h := s.Header()
	w := &writer{out: out, s: s, h: h, shape: disk.ShapeOf(&h.Params), types: make([]typeText, h.Counts.Types)}
	w.report.Domain = h.Domain
	w.header()
	w.allTypes()
	w.allMethods()
	w.allTables()
	w.text("end")
	w.end()
	w.flush()
	runtime.KeepAlive(s)
	if w.err != nil {
		return nil, w.err
	}
	return &w.report, nil
}

// A writer writes one archive. It keeps the first error and then writes nothing
// more of use.
type writer struct {
	out    io.Writer
	b      []byte // not yet written
	s      *reader.Store
	h      *layout.Header
	shape  disk.Shape
	report Report
	err    error

	types   []typeText       // by ordinal, as far as they were met
	name    []byte           // scratch
	nodes   []reader.Context // scratch of contexts
	implied []bool
}

// flushSize is how much is gathered before it is written.
const flushSize = 1 << 16

// failed keeps err if it is the first, and reports whether there is any.
func (w *writer) failed(err error) bool {
	if w.err == nil {
		w.err = err
	}
	return w.err != nil
}

// end ends a line.
func (w *writer) end() {
	w.b = append(w.b, '\n')
	w.report.Lines++
	if len(w.b) >= flushSize {
		w.flush()
	}
}

func (w *writer) flush() {
	if w.err == nil {
		_, w.err = w.out.Write(w.b)
	}
	w.b = w.b[:0]
}

// blankLine stands before what begins a part of the text.
func (w *writer) blankLine() { w.end() }

func (w *writer) allTypes() {
	first := true
	for t, err := range w.s.Types() {
		if w.failed(err) {
			return
		}
		if first {
			w.blankLine()
			first = false
		}
		w.typeLine(t)
	}
}

func (w *writer) typeLine(t reader.Type) {
	flags, err := t.Flags()
	if w.failed(err) {
		return
	}
	alias, err := t.Alias()
	if w.failed(err) {
		return
	}
	w.text("type ")
	w.typeRef(t)
	if flags != 0 {
		w.text(" flags=")
		w.bits(typeFlags, uint64(flags))
	}
	if alias.Len() > 0 {
		w.text(" alias=")
		w.spell(alias)
	}
	w.end()
}
