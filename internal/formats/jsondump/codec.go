// Package jsondump prints archives completely and deterministically as JSON. The section "The JSON dump" of
// docs/format.md defines the output. The C reader in internal/testkit/creader prints the same bytes.
//
// A byte that is not part of valid UTF-8 is printed as the lone surrogate \udcXX, which valid strings cannot contain.
//
// Records are printed one by one, so that memory does not grow with the archive.
package jsondump

import (
	"bufio"
	"cmp"
	"io"
	"iter"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes JSON. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "json", About: "everything, in the JSON that docs/format.md defines"}
}

// Export writes the whole archive without losses.
func (*Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	totals, err := writeArchive(w, s)
	if err != nil {
		return nil, err
	}
	return &codec.Report{Totals: totals}, nil
}

// WriteArchive prints header, types, methods with their profiles, and tables. It prints the counts of the file and
// ignores later increments of adopted profiles. The error comes from w or from the first record that cannot be
// read. In case of an error the output is incomplete.
func WriteArchive(w io.Writer, s *reader.Store) error {
	_, err := writeArchive(w, s)
	return err
}

// writeArchive implements WriteArchive. It returns the totals of the printed counts.
func writeArchive(w io.Writer, s *reader.Store) (ledger.Totals, error) {
	p := newPrinter(w, s)
	p.counts = ledger.Counter{Domain: s.Header().Domain, Shape: p.shape, Totals: ledger.Totals{}}
	p.printDump(func() { printEach(p, s.Types(), p.printTypeLine) }, func() { p.printMethods(s.Methods()) },
		func() { printEach(p, s.Tables(), p.printTable) })
	if err := p.flushOutput(); err != nil {
		return nil, err
	}
	tables, err := archived.TableTotals(s)
	p.counts.Totals.AddAll(tables)
	return p.counts.Totals, err
}

// WriteMethods prints methods in the format of WriteArchive, with empty lists of types and tables.
func WriteMethods(w io.Writer, s *reader.Store, methods iter.Seq2[reader.Method, error]) error {
	p := newPrinter(w, s)
	p.printDump(func() {}, func() { p.printMethods(methods) }, func() {})
	return p.flushOutput()
}

// WriteProfile prints a method with only one of its profiles, in the format of WriteMethods.
func WriteProfile(w io.Writer, s *reader.Store, m reader.Method, q reader.Profile) error {
	p := newPrinter(w, s)
	p.printDump(func() {}, func() {
		p.printRaw("\n")
		p.printMethodLine(m, func(yield func(reader.Profile, error) bool) { yield(q, nil) })
	}, func() {})
	return p.flushOutput()
}

// printDump prints a dump. Its arguments print the elements of the lists.
func (p *printer) printDump(types, methods, tables func()) {
	p.printRaw("{\n")
	p.printHeader(p.s.Header())
	p.printRaw("\"types\":[")
	types()
	p.printRaw("\n],\n\"methods\":[")
	methods()
	p.printRaw("\n],\n\"tables\":[")
	tables()
	p.printRaw("\n]\n}\n")
}

// WriteMethod prints an element of the list of methods and a newline.
func WriteMethod(w io.Writer, s *reader.Store, m reader.Method) error {
	p := newPrinter(w, s)
	p.printMethodLine(m, m.Profiles())
	p.printRaw("\n")
	return p.flushOutput()
}

// A printer prints one dump. After the first error, its output is undefined.
type printer struct {
	w     *bufio.Writer
	s     *reader.Store
	shape disk.Shape
	text  []byte // scratch
	parse.FirstError

	counts ledger.Counter // counts of the printed profiles; its Totals are nil if nobody asks for them
}

func newPrinter(w io.Writer, s *reader.Store) *printer {
	return &printer{w: bufio.NewWriterSize(w, 1<<16), s: s, shape: (*mapped.Mapping)(s.Mapping()).Shape()}
}

func (p *printer) flushOutput() error {
	if p.Err != nil {
		return p.Err
	}
	return p.w.Flush()
}

func (p *printer) printHeader(h *layout.Header) {
	p.printRaw(`"header":{"format":"`)
	p.printRaw(disk.VersionString(h.Version))
	p.printRaw(`","domain":"`)
	p.printRaw(h.Domain.String())
	p.printRaw(`","producer":`)
	p.printString([]byte(h.Producer))
	p.printUintField("file_size", uint64(h.FileSize))
	p.printHexField("base", h.Base)
	p.printBytesField("producer_id", h.ProducerID[:])
	p.printBytesField("fingerprint", h.Fingerprint[:])
	p.printBytesField("dump_id", h.DumpID[:])
	p.printIntField("dump_time", h.DumpTime)
	p.printUintField("flags", h.Flags)
	settings := disk.Settings(&h.Params)
	printUintList(p, "settings", lists.Map(settings[:], func(v *uint32) uint32 { return *v }))
	p.printHexField("seed", h.Seed)
	p.printUintField("lines", h.Buckets)
	p.printUintField("max_probe", uint64(h.MaxProbe))
	c := h.Counts
	s := h.Summary
	printUintList(
		p,
		"counts",
		[]uint64{c.Methods, c.Unexecuted, c.Profiles, c.Contexts, c.Types, c.Symbols, c.Entries, c.Pointers},
	)
	printUintList(p, "summary", []uint64{s.TotalInvocations, s.MaxInvocations, s.TotalCount, s.MaxCount})
	p.printRaw("},\n")
}

// printEach prints the elements of a list.
func printEach[V any](p *printer, values iter.Seq2[V, error], print func(V)) {
	n := 0
	for v := range poll.Values(values, &p.Err) {
		p.printComma(n)
		n++
		print(v)
	}
}

func (p *printer) printTypeLine(t reader.Type) {
	name, loader, err1 := readTypeNames(t)
	alias, err2 := t.Alias()
	id, err3 := t.ID()
	flags, err4 := t.Flags()
	if p.Fail(cmp.Or(err1, err2, err3, err4)) {
		return
	}
	p.printRaw("\n{\"id\":\"")
	p.printHexDigits(id)
	p.printRaw(`","name":`)
	p.printName(name)
	p.printOptionalName("loader", loader)
	p.printOptionalName("alias", alias)
	p.printNonzeroField("flags", uint64(flags))
	p.printRaw("}")
}

func (p *printer) printMethods(methods iter.Seq2[reader.Method, error]) {
	printEach(p, methods, func(m reader.Method) {
		p.printRaw("\n")
		p.printMethodLine(m, m.Profiles())
	})
}

// shownFlags are the flags that describe the method and not its record.
const shownFlags = disk.MethodUnexecuted | layout.MethodNotMatchable | disk.MethodSharedID

func (p *printer) printMethodLine(m reader.Method, profiles iter.Seq2[reader.Profile, error]) {
	p.printRaw(`{"id":"`)
	p.printHexDigits(m.ID())
	p.printRaw(`",`)
	p.printMethodKey(m)
	p.printNonzeroField("flags", uint64(m.Flags()&shownFlags))
	p.printNonzeroField("access", uint64(m.Access()))
	p.printRaw(`,"profiles":[`)
	printEach(p, profiles, p.printProfile)
	p.printRaw("]}")
}

func (p *printer) printTable(t reader.Table) {
	p.printRaw("\n{\"kind\":")
	p.printUint(uint64(t.Kind))
	p.printNonzeroField("flags", uint64(t.Flags))
	p.printFieldKey("columns")
	p.printList(t.Columns(), func(i int) { p.printQuoted(t.Column(i).String()) })
	p.printFieldKey("rows")
	p.printList(t.Rows, func(r int) {
		p.printList(t.Columns(), func(i int) { p.printTableCell(t.Column(i), t.Cell(i, r)) })
	})
	p.printRaw("}")
}

func (p *printer) printTableCell(kind disk.ColumnKind, v uint64) {
	n := layout.Ref(v)
	switch {
	case kind == disk.ColumnWord:
		p.printUint(v)
	case n == 0:
		p.printRaw("null")
	case kind == disk.ColumnSymbol:
		if name, err := p.s.SymbolAt(n); !p.Fail(err) {
			p.printName(name)
		}
	case kind == disk.ColumnType:
		if t, err := p.s.TypeAt(n); !p.Fail(err) {
			p.printTypeRef(t)
		}
	case kind == disk.ColumnMethod:
		if m, err := p.s.MethodAt(n); !p.Fail(err) {
			p.printMethodRef(m)
		}
	case kind == disk.ColumnProfile:
		if q, err := p.s.ProfileAt(n); !p.Fail(err) {
			p.printProfileRef(q)
		}
	case kind == disk.ColumnContext:
		p.printContextRef(n)
	}
}
