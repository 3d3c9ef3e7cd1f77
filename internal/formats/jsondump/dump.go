// Package jsondump prints archives completely and deterministically as JSON. The section "The JSON dump" of
// docs/format.md defines the output. The C reader in internal/testkit/creader prints the same bytes.
//
// A byte that is not part of valid UTF-8 is printed as the lone surrogate \udcXX, which valid strings cannot
// contain.
//
// Records are printed one by one, so that memory does not grow with the archive.
package jsondump

import (
	"bufio"
	"io"
	"iter"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// WriteArchive prints header, types, methods with their profiles, and tables. It prints the counts of the file and
// ignores later increments of adopted profiles. The error comes from w or from the first record that cannot be
// read. In case of an error the output is incomplete.
func WriteArchive(w io.Writer, s *reader.Store) error {
	p := newPrinter(w, s)
	p.whole(p.types, func() { p.methods(s.Methods()) }, p.tables)
	return p.finish()
}

// WriteMethods prints methods in the format of WriteArchive, with empty lists of types and tables.
func WriteMethods(w io.Writer, s *reader.Store, methods iter.Seq2[reader.Method, error]) error {
	p := newPrinter(w, s)
	p.whole(func() {}, func() { p.methods(methods) }, func() {})
	return p.finish()
}

// WriteProfile prints a method with only one of its profiles, in the format of WriteMethods.
func WriteProfile(w io.Writer, s *reader.Store, m reader.Method, q reader.Profile) error {
	p := newPrinter(w, s)
	p.whole(func() {}, func() {
		p.raw("\n")
		p.methodLine(m, func(yield func(reader.Profile, error) bool) { yield(q, nil) })
	}, func() {})
	return p.finish()
}

// whole prints a dump. Its arguments print the elements of the lists.
func (p *printer) whole(types, methods, tables func()) {
	p.raw("{\n")
	p.header(p.s.Header())
	p.raw("\"types\":[")
	types()
	p.raw("\n],\n\"methods\":[")
	methods()
	p.raw("\n],\n\"tables\":[")
	tables()
	p.raw("\n]\n}\n")
}

// WriteMethod prints an element of the list of methods and a newline.
func WriteMethod(w io.Writer, s *reader.Store, m reader.Method) error {
	p := newPrinter(w, s)
	p.methodLine(m, m.Profiles())
	p.raw("\n")
	return p.finish()
}

// A printer prints one dump. After the first error, its output is undefined.
type printer struct {
	w     *bufio.Writer
	s     *reader.Store
	shape disk.Shape
	text  []byte // scratch
	err   error
}

func newPrinter(w io.Writer, s *reader.Store) *printer {
	return &printer{w: bufio.NewWriterSize(w, 1<<16), s: s, shape: (*mapped.Mapping)(s.Mapping()).Shape()}
}

func (p *printer) finish() error {
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

// failed records the first error, and reports whether there was one.
func (p *printer) failed(err error) bool {
	if p.err == nil {
		p.err = err
	}
	return p.err != nil
}

func (p *printer) header(h *layout.Header) {
	p.raw(`"header":{"format":"`)
	p.raw(disk.VersionString(h.Version))
	p.raw(`","domain":"`)
	p.raw(h.Domain.String())
	p.raw(`","producer":`)
	p.string([]byte(h.Producer))
	p.unsigned("file_size", uint64(h.FileSize))
	p.hex("base", h.Base)
	p.bytes("producer_id", h.ProducerID[:])
	p.bytes("fingerprint", h.Fingerprint[:])
	p.bytes("dump_id", h.DumpID[:])
	p.signed("dump_time", h.DumpTime)
	p.unsigned("flags", h.Flags)
	var settings []uint32
	for _, v := range disk.Settings(&h.Params) {
		settings = append(settings, *v)
	}
	list(p, "settings", settings)
	p.hex("seed", h.Seed)
	p.unsigned("lines", h.Buckets)
	p.unsigned("max_probe", uint64(h.MaxProbe))
	c := h.Counts
	s := h.Summary
	list(p, "counts", []uint64{c.Methods, c.Unexecuted, c.Profiles, c.Contexts, c.Types, c.Symbols, c.Entries, c.Pointers})
	list(p, "summary", []uint64{s.TotalInvocations, s.MaxInvocations, s.TotalCount, s.MaxCount})
	p.raw("},\n")
}

func (p *printer) types() {
	n := 0
	for t, err := range p.s.Types() {
		if p.failed(err) {
			return
		}
		p.comma(n)
		n++
		p.typeLine(t)
	}
}

func (p *printer) typeLine(t reader.Type) {
	name, loader, err := typeNames(t)
	if p.failed(err) {
		return
	}
	alias, err := t.Alias()
	if p.failed(err) {
		return
	}
	id, err := t.ID()
	if p.failed(err) {
		return
	}
	flags, err := t.Flags()
	if p.failed(err) {
		return
	}
	p.raw("\n{\"id\":\"")
	p.digits(id)
	p.raw(`","name":`)
	p.name(name)
	p.optionalName("loader", loader)
	p.optionalName("alias", alias)
	p.optional("flags", uint64(flags))
	p.raw("}")
}

func (p *printer) methods(methods iter.Seq2[reader.Method, error]) {
	n := 0
	for m, err := range methods {
		if p.failed(err) {
			return
		}
		p.comma(n)
		n++
		p.raw("\n")
		p.methodLine(m, m.Profiles())
		if p.err != nil {
			return
		}
	}
}

// shownFlags are the flags that describe the method and not its record.
const shownFlags = disk.MethodUnexecuted | layout.MethodNotMatchable | disk.MethodSharedID

func (p *printer) methodLine(m reader.Method, profiles iter.Seq2[reader.Profile, error]) {
	p.raw(`{"id":"`)
	p.digits(m.ID())
	p.raw(`",`)
	p.key(m)
	p.optional("flags", uint64(m.Flags()&shownFlags))
	p.optional("access", uint64(m.Access()))
	p.raw(`,"profiles":[`)
	n := 0
	for q, err := range profiles {
		if p.failed(err) {
			return
		}
		p.comma(n)
		n++
		p.profile(q)
	}
	p.raw("]}")
}
