package llvm

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// WriteText writes the profiles of an archive as llvm-profdata merge --text
// does. The version of the options means nothing to it; with KeepVTableNames a
// site names its vtables.
func WriteText(out io.Writer, s *reader.Store, o WriteOptions) (*WriteReport, error) {
	if err := checkDomain(s); err != nil {
		return nil, err
	}
	w := &textWriter{store: s, options: o, out: bufio.NewWriterSize(out, outBuffer), named: map[string]bool{}, called: newRecordWalk(s, nil)}
	if err := s.Mapping().Guard(w.all); err != nil {
		return nil, err
	}
	w.report.Lost = w.lost
	return &w.report, nil
}

// A textWriter prints profiles. What it prints of a function it puts together
// first.
type textWriter struct {
	store   *reader.Store
	options WriteOptions
	report  WriteReport
	lost    codec.Losses

	names  *ValueNames
	called *recordWalk     // of functions that values name
	named  map[string]bool // vtables whose names were printed
	facts  runFacts

	out    *bufio.Writer
	text   []byte
	name   []byte
	values []siteValue
}

// all prints the whole file. What goes wrong with printing, Flush tells in the
// end.
func (w *textWriter) all() (err error) {
	if w.facts, err = readRunFacts(w.store); err != nil {
		return err
	}
	if w.names, err = NewValueNames(w.store); err != nil {
		return err
	}
	if err := w.header(); err != nil {
		return err
	}
	if err := w.traces(); err != nil {
		return err
	}
	if err := newRecordWalk(w.store, &w.lost).each(w.function); err != nil {
		return err
	}
	w.lost.Add(LossTextBinaryIDs, len(w.facts.binaryIDs))
	w.lost.Add(LossTextVTables, len(w.facts.vtables)-len(w.named))
	return w.out.Flush()
}

// byteCoverageSince is the version of the indexed format whose LLVM, 17, was
// the first to have a mark for coverage in text.
const byteCoverageSince = 10

// header prints what the variant bits say.
func (w *textWriter) header() error {
	v := variantOf(w.store)
	if w.store.Header().Domain == layout.DomainLLVMIR {
		if err := w.level(v); err != nil {
			return err
		}
	}
	if v&VariantEntryFirst != 0 {
		w.print("# Always instrument the function entry block\n:entry_first\n")
	}
	if v&VariantLoopEntries != 0 {
		w.print("# Always instrument the loop entry blocks\n:instrument_loop_entries\n")
	}
	if v&VariantByteCoverage != 0 {
		w.byteCoverage()
	}
	if v&VariantEntryOnly != 0 {
		w.lost.Add(LossTextEntryOnly, 1)
	}
	return nil
}

// level prints whether there are context-sensitive profiles. Where profiles of
// both instrumentations were merged the variant need not say so.
func (w *textWriter) level(v Variant) error {
	cs := v&VariantContextSensitive != 0
	if !cs {
		var err error
		if cs, err = hasContextSensitive(w.store); err != nil {
			return err
		}
	}
	if cs {
		w.print("# CSIR level Instrumentation Flag\n:csir\n")
	} else {
		w.print("# IR level Instrumentation Flag\n:ir\n")
	}
	return nil
}

func hasContextSensitive(s *reader.Store) (bool, error) {
	for m, err := range s.Methods() {
		if err != nil {
			return false, err
		}
		for p, err := range m.Profiles() {
			if err != nil || p.Code()&ContextSensitive != 0 {
				return err == nil, err
			}
		}
	}
	return false, nil
}

// byteCoverage prints the mark of coverage, unless the LLVM that made the
// profile does not read it.
func (w *textWriter) byteCoverage() {
	if v := producerVersion(w.store); v != 0 && v < byteCoverageSince {
		w.lost.Add(LossTextByte, 1)
		return
	}
	w.print("# Instrument block coverage\n:single_byte_coverage\n")
}

func (w *textWriter) print(text string) { _, _ = w.out.WriteString(text) }

// traces prints the temporal traces, if there are any or there may have been.
func (w *textWriter) traces() error {
	if variantOf(w.store)&VariantTemporal == 0 && len(w.facts.traces) == 0 {
		return nil
	}
	w.print(":temporal_prof_traces\n# Num Temporal Profile Traces:\n" + strconv.Itoa(len(w.facts.traces)) + "\n")
	w.print("# Temporal Profile Trace Stream Size:\n" + strconv.FormatUint(w.facts.stream, 10) + "\n")
	for _, t := range w.facts.traces {
		w.print("# Weight:\n" + strconv.FormatUint(t.weight, 10) + "\n")
		if err := w.trace(t.ids); err != nil {
			return err
		}
	}
	w.print("\n")
	return nil
}

// trace prints the names of a trace, each with a comma behind it. A function
// without a name is the comma alone, as llvm-profdata prints it; readers pass
// over it.
func (w *textWriter) trace(ids []uint64) error {
	for _, id := range ids {
		name, ok, err := w.functionName(id)
		if err != nil {
			return err
		}
		if ok = ok && !strings.ContainsAny(name.String(), ",\n"); !ok {
			w.lost.Add(LossTextTrace, 1)
			name = reader.Name{}
		}
		w.text = append(name.AppendTo(w.text[:0]), ',')
		_, _ = w.out.Write(w.text)
	}
	w.print("\n")
	return nil
}
