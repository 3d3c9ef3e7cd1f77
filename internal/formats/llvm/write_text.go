package llvm

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Export writes the profiles of an archive like llvm-profdata merge --text.
func (e *TextExporter) Export(out io.Writer, s *reader.Store) (*codec.Report, error) {
	if err := checkDomain(s); err != nil {
		return nil, err
	}
	w := &textWriter{store: s, options: *e, out: bufio.NewWriterSize(out, outBuffer), named: map[string]bool{},
		totals: ledger.Totals{},
		called: newRecordWalk(s, nil)}
	if err := s.Mapping().Guard(w.writeAll); err != nil {
		return nil, err
	}
	return &codec.Report{Totals: w.totals, Lost: w.lost}, nil
}

// A textWriter prints profiles. It assembles the text of one function at a time.
type textWriter struct {
	store   *reader.Store
	options TextExporter
	lost    codec.Losses
	totals  ledger.Totals // written counts

	names  *entries.Values
	called *recordWalk     // reads functions that values name
	named  map[string]bool // printed names of vtables
	facts  runFacts

	out    *bufio.Writer
	text   []byte
	name   []byte
	values []siteValue
	parse.FirstError
}

// writeAll prints the whole file. Flush returns earlier errors of the output.
func (w *textWriter) writeAll() error {
	var err error
	w.facts, w.Err = readRunFacts(w.store, IndexedNewest)
	w.names, err = entries.NewValues(w.store)
	if w.Fail(err) {
		return w.Err
	}
	w.writeHeader()
	w.writeTraces()
	w.Fail(newRecordWalk(w.store, &w.lost).eachFunction(w.writeFunction))
	w.lost.Add(LossTextBinaryIDs, len(w.facts.binaryIDs))
	if w.facts.heap != nil {
		w.lost.Add(LossTextMemProf, len(w.facts.heap.records))
	}
	w.lost.Add(LossTextVTables, len(w.facts.vtables)-len(w.named))
	return cmp.Or(w.Err, w.out.Flush())
}

// byteCoverageSince is the indexed version of LLVM 17, whose text first had a heading for coverage.
const byteCoverageSince = 10

func (w *textWriter) writeHeader() {
	v := variantOf(w.store)
	if w.store.Header().Domain == layout.DomainLLVMIR {
		w.writeInstrumentation(v)
	}
	if v&VariantEntryFirst != 0 {
		w.writeString("# Always instrument the function entry block\n:entry_first\n")
	}
	if v&VariantLoopEntries != 0 {
		w.writeString("# Always instrument the loop entry blocks\n:instrument_loop_entries\n")
	}
	if v&VariantByteCoverage != 0 {
		w.writeByteCoverage()
	}
	if v&VariantEntryOnly != 0 {
		w.lost.Add(LossTextEntryOnly, 1)
	}
}

// writeInstrumentation prints whether there are context-sensitive profiles. Merging profiles of both instrumentations
// can leave the variant bit unset.
func (w *textWriter) writeInstrumentation(v Variant) {
	cs := v&VariantContextSensitive != 0
	for p := range poll.Values(w.store.Profiles(), &w.Err) {
		cs = cs || p.Code()&ContextSensitive != 0
		if cs {
			break
		}
	}
	if cs {
		w.writeString("# CSIR level Instrumentation Flag\n:csir\n")
	} else {
		w.writeString("# IR level Instrumentation Flag\n:ir\n")
	}
}

// writeByteCoverage prints the heading for coverage if the producing LLVM can read it.
func (w *textWriter) writeByteCoverage() {
	if v := producerVersion(w.store); v != 0 && v < byteCoverageSince {
		w.lost.Add(LossTextByte, 1)
		return
	}
	w.writeString("# Instrument block coverage\n:single_byte_coverage\n")
}

func (w *textWriter) writeString(text string) { _, _ = w.out.WriteString(text) }

func (w *textWriter) writeTraces() {
	if variantOf(w.store)&VariantTemporal == 0 && len(w.facts.traces) == 0 {
		return
	}
	w.writeString(":temporal_prof_traces\n# Num Temporal Profile Traces:\n" + strconv.Itoa(len(w.facts.traces)) + "\n")
	w.writeString("# Temporal Profile Trace Stream Size:\n" + strconv.FormatUint(w.facts.stream, 10) + "\n")
	for _, t := range w.facts.traces {
		w.writeString("# Weight:\n" + strconv.FormatUint(t.weight, 10) + "\n")
		w.writeTrace(t.ids)
	}
	w.writeString("\n")
}

// writeTrace prints the names of a trace with a comma after each. Like llvm-profdata it prints only the comma for a
// function without a name. Readers ignore it.
func (w *textWriter) writeTrace(ids []uint64) {
	for _, id := range ids {
		name, ok := w.functionName(id)
		if !ok || strings.ContainsAny(name.String(), ",\n") {
			w.lost.Add(LossTextTrace, 1)
			name = reader.Name{}
		}
		w.text = append(name.AppendTo(w.text[:0]), ',')
		_, _ = w.out.Write(w.text)
	}
	w.writeString("\n")
}

func (w *textWriter) writeFunction(m reader.Method, records []record) error {
	name, err := m.Name()
	if err != nil {
		return err
	}
	if w.options.Sparse && allUnexecuted(records) {
		loseUnexecuted(&w.lost, records, name.String())
		return nil
	}
	if !w.canPrint(name) {
		loseTotals(&w.lost, LossTextName, 1, recordTotals(records), strconv.Quote(name.String()))
		return nil
	}
	heading := ""
	if parse.BeginsWithTextMark(string(w.name)) {
		heading = "# Name:\n"
	}
	for i := range records {
		records[i].addTotals(w.totals, valueKindsKnown, maxSiteValues)
		w.text = append(w.text[:0], heading...)
		w.text = append(name.AppendTo(w.text), '\n')
		w.appendCounters(&records[i])
		w.appendSites(&records[i], name)
		w.text = append(w.text, '\n')
		_, err = w.out.Write(w.text)
		w.Fail(err)
	}
	return w.Err
}

// canPrint reports whether readers recognize a name: a single line that is neither blank, a comment, a heading nor the
// size of a bitmap.
func (w *textWriter) canPrint(name reader.Name) bool {
	w.name = name.AppendTo(w.name[:0])
	b := w.name
	return len(bytes.TrimSpace(b)) > 0 && b[0] != '#' && b[0] != ':' && !bytes.ContainsAny(b, "\n\r") &&
		!(b[0] == '$' && len(bytes.Trim(b[1:], "0123456789")) == 0)
}

func (w *textWriter) appendComment(comment string, n uint64) {
	w.text = append(w.text, "# "+comment+":\n"...)
	w.appendNumber(n)
}

func (w *textWriter) appendNumber(n uint64) { w.text = append(strconv.AppendUint(w.text, n, 10), '\n') }

func (w *textWriter) appendCounters(r *record) {
	w.appendComment("Func Hash", r.hash)
	w.appendComment("Num Counters", uint64(len(r.counts)/disk.CellSize))
	w.text = append(w.text, "# Counter Values:\n"...)
	for at := 0; at < len(r.counts); at += disk.CellSize {
		w.appendNumber(le.Uint64(r.counts[at:]))
	}
	if len(r.bitmap) == 0 {
		return
	}
	w.text = append(w.text, "# Num Bitmap Bytes:\n$"...)
	w.appendNumber(uint64(len(r.bitmap)))
	w.text = append(w.text, "# Bitmap Byte Values:\n"...)
	for _, v := range r.bitmap {
		w.text = append(strconv.AppendUint(append(w.text, "0x"...), uint64(v), 16), '\n')
	}
	w.text = append(w.text, '\n')
}

var valueKindNames = [valueKindsKnown]string{"IPVK_IndirectCallTarget", "IPVK_MemOPSize", "IPVK_VTableTarget"}

func (w *textWriter) appendSites(r *record, name reader.Name) {
	kinds := r.kindsWithSites(len(r.sites))
	if kinds == 0 {
		return
	}
	w.appendComment("Num Value Kinds", uint64(kinds))
	for kind, sites := range r.sites {
		if len(sites) == 0 {
			continue
		}
		w.appendComment("ValueKind = "+valueKindNames[kind], uint64(kind))
		w.appendComment("NumValueSites", uint64(len(sites)))
		for _, site := range sites {
			loseValues(&w.lost, site, name)
			w.appendSite(kind, site)
		}
	}
}

func (w *textWriter) appendSite(kind int, site disk.Entry) {
	w.values = appendSiteValues(w.values[:0], site)
	w.appendNumber(uint64(len(w.values)))
	for _, v := range w.values {
		w.appendValue(kind, v.value)
		w.text = append(w.text, ':')
		w.appendNumber(v.count)
	}
}

func (w *textWriter) appendValue(kind int, value uint64) {
	switch layout.Sub(kind) {
	case layout.SubMemOpSize:
		w.text = strconv.AppendUint(w.text, value, 10)
		return
	case layout.SubIndirectCall:
		if name, ok := w.functionName(value); ok {
			w.text = name.AppendTo(w.text)
			return
		}
	case layout.SubVTable:
		if name, ok := w.names.VTable(value); ok && (w.options.KeepVTableNames || w.facts.vtableNames) {
			w.named[name] = true
			w.text = append(w.text, name...)
			return
		}
	}
	w.text = append(w.text, externalName...)
}

// functionName returns the name of a printed function. ok is false if no printed function has the id.
func (w *textWriter) functionName(id uint64) (name reader.Name, ok bool) {
	m, ok, err := w.names.Function(id)
	if w.Fail(err) || !ok || !w.isPrinted(m) {
		return reader.Name{}, false
	}
	name, err = m.Name()
	return name, !w.Fail(err) && w.canPrint(name)
}

func (w *textWriter) isPrinted(m reader.Method) bool {
	if !m.Profiled() || !w.options.Sparse {
		return m.Profiled()
	}
	records, err := w.called.recordsOf(m)
	return !w.Fail(err) && len(records) > 0 && !allUnexecuted(records)
}
