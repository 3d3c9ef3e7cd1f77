package formats

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/formats/replay"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/lcov"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/formats/stacks/pprof/gopgo"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/reader"
)

// Importers returns an importer of each format with the default options, in the order in which Import tries them.
func Importers() []codec.Importer {
	return []codec.Importer{
		&llvm.Importer{},
		&sample.Importer{},
		&pprof.Importer{},
		&gopgo.Importer{},
		&text.Importer{},
		&iprof.Importer{},
		&jamaica.Importer{},
		&replay.Importer{},
		&perf.Importer{},
		&stacks.Importer{},
		&hotspot.Importer{}, // accepts any text that no other format claims
	}
}

// withDefaults returns Importers(), in which a given importer replaces the default one of its format. Given importers
// of other formats come first.
func withDefaults(given []codec.Importer) []codec.Importer {
	all := Importers()
	names := namesOf(all)
	var others []codec.Importer
	for _, i := range given {
		if at := slices.Index(names, i.Format().Name); at >= 0 {
			all[at] = i
		} else {
			others = append(others, i)
		}
	}
	return append(others, all...)
}

// Exporters returns an exporter of each format with the default options. Format gives their names.
func Exporters() []codec.Exporter {
	return []codec.Exporter{
		&hotspot.Exporter{},
		&jsondump.Exporter{},
		&text.Exporter{},
		&llvm.IndexedExporter{},
		&iprof.Exporter{},
		&llvm.TextExporter{},
		sample.TextExporter(),
		sample.BinaryExporter(),
		sample.ExtensibleExporter(),
		sample.GCCExporter(),
		&jamaica.Exporter{},
		&stacks.Exporter{},
		&pprof.Exporter{},
		&gopgo.Exporter{},
		&lcov.Exporter{},
	}
}

// namesOf returns the names of the formats of importers or exporters.
func namesOf[F interface{ Format() codec.Format }](all []F) []string {
	return lists.Map(all, func(f F) string { return f.Format().Name })
}

// Importers with options. Their fields are the options, and their zero values have the defaults.
// [ImportOptions].Importers takes pointers to them.
type (
	// An LLVMImporter has AsLLVM, to merge as llvm-profdata does, and Release, which is the release of the LLVM that
	// compiled the program.
	LLVMImporter = llvm.Importer
	// A PprofImporter has EdgesOnly, to omit the calling contexts, SampleType, which is the type of values that are kept,
	// and SplitBy, the label whose values become frames.
	PprofImporter = pprof.Importer
	// An IprofImporter has Salvage, to read the intact records of a damaged file.
	IprofImporter = iprof.Importer
	// A JamaicaImporter has Runs, to keep the runs of a text apart, and Salvage, to leave out damaged lines.
	JamaicaImporter = jamaica.Importer
)

// Exporters with options. Their fields are the options, and their zero values have the defaults. [Export] takes a
// pointer to one.
type (
	// A ProfdataExporter has the Version of LLVM's format, Sparse and KeepVTableNames.
	ProfdataExporter = llvm.IndexedExporter
	// A ProftextExporter has Sparse and KeepVTableNames.
	ProftextExporter = llvm.TextExporter
	// An IprofExporter has the Version of the format, and Prune, to omit methods and types without references.
	IprofExporter = iprof.Exporter
	// A GoPGOExporter has Hot, to omit cold edges, and Preprocessed, to write the output format of go tool preprofile.
	GoPGOExporter = gopgo.Exporter
	// An LcovExporter has Lines, to give every function one line, and Programs, whose coverage mapping has the lines.
	LcovExporter = lcov.Exporter
)

// An OptionError describes an invalid value of an option.
type OptionError struct {
	Option string // name of the option
	Value  string // value as text; "" if it was not set
	Err    error  // reason why the value is invalid
}

// Error returns the option with its value and the reason, such as "profdata-version 99: use 4 to 13".
func (e *OptionError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %v", e.Option, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Option, e.Value, e.Err)
}

// Unwrap returns Err.
func (e *OptionError) Unwrap() error { return e.Err }

func checkOptions(options []codec.Option) error {
	for _, o := range options {
		if o.Check == nil {
			continue
		}
		if err := o.Check(); err != nil {
			return &OptionError{o.Name, o.Value.String(), err}
		}
	}
	return nil
}

// Export writes the profiles of an archive in the format of an exporter, whose fields are the options of the format:
//
//	lost, err := formats.Export(ctx, w, store, &formats.ProfdataExporter{Version: 12})
//
// It returns the information that the format cannot express, as a list that is never nil. The error is an
// [*OptionError] if an option is invalid. Errors of the archive match the errors of package layout.
func Export(ctx context.Context, w io.Writer, s *reader.Store, e codec.Exporter) (codec.Losses, error) {
	if err := checkOptions(e.Format().Options); err != nil {
		return nil, err
	}
	lost := codec.Losses{}
	err := s.Mapping().Guard(func() error {
		report, err := e.Export(ctxWriter{ctx, w}, s)
		if err != nil {
			return err
		}
		lost = append(lost, report.Lost...)
		return addDifference(&lost, s, e.Format(), report.Totals)
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// addDifference adds the counts of the archive that were neither written nor reported as lost. Those in a unit that the
// format does not hold are a loss by themselves. Others are unaccounted.
func addDifference(lost *codec.Losses, s *reader.Store, f codec.Format, written ledger.Totals) error {
	if written == nil {
		return fmt.Errorf("%s: the exporter's report has no totals", f.Name)
	}
	have, err := archived.Totals(s)
	if err != nil {
		return err
	}
	a := ledger.Account{Inputs: []ledger.Input{{Totals: have}}}
	for _, l := range *lost {
		a.Losses = append(a.Losses, ledger.Loss{Unit: l.Unit, Amount: l.Amount})
	}
	for _, d := range a.Residual(written) {
		what := codec.LossKind(ledger.ReasonUnaccounted)
		if f.Units != nil && !slices.Contains(f.Units, d.Unit) {
			what = codec.LossKind("counts that " + f.Name + " does not hold")
		}
		lost.AddLoss(codec.Loss{What: what, Unit: d.Unit, Amount: d.Amount})
	}
	return nil
}

// A ctxWriter fails writes after ctx has ended.
type ctxWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w ctxWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(b)
}
