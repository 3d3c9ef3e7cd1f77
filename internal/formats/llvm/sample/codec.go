// Package sample reads and writes LLVM's sample profiles, which compilers of AutoFDO and CSSPGO use: text, binary and
// extensible binary files, and the files of GCC's AutoFDO.
//
// A [Profile] is a whole file. Read returns one, and its methods write it. The importer and the exporters convert
// between a Profile and an archive of domain sampled; docs/format-tables.md has the mapping.
package sample

import (
	"bytes"
	"fmt"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An Importer reads sample profiles in all their forms.
type Importer struct{}

// Format implements [codec.Importer].
func (*Importer) Format() codec.Format {
	return codec.Format{Name: "llvm-sample",
		About: "sample profiles of LLVM, in text or binary form, and of GCC's AutoFDO"}
}

// textStart matches the beginning of a text: a function and its first line, or another function.
var textStart = lazyregexp.New(`^(?:#[^\n]*\n|\s*\n)*[^\s#][^\n]*:[0-9]+:[0-9]+\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*` +
	`(?: +[0-9]+(?:\.[0-9]+)?: | +!CFGChecksum:| +!Attributes:|[^\s][^\n]*:[0-9]+:[0-9]+\r?\n|$)`)

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool {
	return kindOf(head) != 0 || isGCC(head) || textStart().Match(head)
}

// Import reads a profile into a builder of domain sampled.
func (*Importer) Import(in *codec.Input) (*codec.Report, error) {
	p, err := Read(in, in.Name)
	if err != nil {
		return nil, err
	}
	return p.Archive(in)
}

// Archive returns a builder with the profile. The input is where the profile comes from.
func (p *Profile) Archive(in *codec.Input) (*codec.Report, error) {
	p.sort()
	if in.Unordered {
		p.ranking = nil
	}
	b := builder.New(layout.DomainSampled, in.Config)
	report := &codec.Report{Dumps: []*builder.Builder{b}, Totals: p.read, Facts: map[string]any{"kind": p.kindName()}}
	if err := p.addTo(b, report); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return report, nil
}

// Read reads a profile in any of the forms. The name is for errors.
func Read(in io.Reader, name string) (p *Profile, err error) {
	file, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	switch {
	case kindOf(file) != 0:
		p, err = readBinary(file, name)
	case isGCC(file):
		p, err = readGCC(file, name)
	default:
		p, err = readText(bytes.NewReader(file), name)
	}
	if err != nil {
		return nil, err
	}
	p.sort()
	return p, nil
}

// writtenUnits are the units of the counts that the formats hold.
var writtenUnits = []string{ledger.Samples, ledger.Invocations, ledger.Counts}

// An exporter writes sample profiles in one form.
type exporter struct {
	format codec.Format
	write  func(p *Profile, w io.Writer) error
	holds  func(p *Profile, fact codec.LossKind) bool // nil for a form that holds no optional fact
}

func newExporter(form, about string, write func(p *Profile, w io.Writer) error) *exporter {
	format := codec.Format{Name: "llvm-sample-" + form, About: about, Binary: form != "text", Units: writtenUnits}
	return &exporter{format, write, nil}
}

// Format implements [codec.Exporter].
func (e *exporter) Format() codec.Format { return e.format }

// Export implements [codec.Exporter].
func (e *exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	report := &codec.Report{}
	p, err := extract(s, &report.Lost)
	if err != nil {
		return nil, err
	}
	report.Totals = p.totals()
	for _, fact := range p.optionalFacts() {
		if fact.Count > 0 && (e.holds == nil || !e.holds(p, fact.What)) {
			report.Lost.AddLoss(fact)
		}
	}
	return report, e.write(p, w)
}

// Facts that only some forms hold. They are losses of exports in other forms.
const (
	LossSymbols codec.LossKind = "names in the list of all functions of the program"
	LossFlags   codec.LossKind = "flags of the profile"
	LossSources codec.LossKind = "functions with a source file or the time of the first sample"
)

// optionalFacts counts the facts of a profile that only some forms hold.
func (p *Profile) optionalFacts() []codec.Loss {
	flags := codec.Loss{What: LossFlags}
	for _, name := range []string{"partial", "flow-sensitive"} { // names and attributes tell the others
		if *p.flags()[name] {
			flags.Count++
			flags.First = append(flags.First, name)
		}
	}
	sources := len(p.Files)
	for _, f := range p.Functions {
		if p.Files[f.Name] == "" && f.First != 0 {
			sources++
		}
	}
	return []codec.Loss{{What: LossSymbols, Count: len(p.Symbols)}, flags, {What: LossSources, Count: sources}}
}

// TextExporter writes text.
func TextExporter() codec.Exporter {
	return newExporter("text", "what llvm-profdata merge --sample --text writes (imported sample profiles)",
		(*Profile).WriteText)
}

// BinaryExporter writes the older binary form.
func BinaryExporter() codec.Exporter {
	return newExporter("binary", "the same in the older binary form, without checksums", (*Profile).WriteBinary)
}

// ExtensibleExporter writes the extensible binary form.
func ExtensibleExporter() codec.Exporter {
	e := &Extensible{}
	x := newExporter("extbinary", "the same in the extensible binary form, which clang -fprofile-sample-use reads",
		func(p *Profile, w io.Writer) error { return e.Write(w, p) })
	x.holds = func(_ *Profile, fact codec.LossKind) bool { return fact != LossSources }
	x.format.Options = []codec.Option{
		codec.NewOption("compress-sections", &e.Compress, "compress the sections"),
		codec.NewOption("use-md5", &e.GUIDs, "replace the names of functions by their hashes"),
		codec.NewOption("partial-profile", &e.Partial, "mark the profile as one that lacks functions"),
	}
	return x
}
