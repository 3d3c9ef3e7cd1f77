package lcov

import (
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes tracefiles.
type Exporter struct {
	Lines    bool     // see [WriteOptions]
	Programs []string // programs for [WriteLines], which replaces [Write] if there are any
}

// LossUnknown counts omitted methods.
const LossUnknown codec.LossKind = "methods that may or may not have run: not known"

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	return codec.Format{Name: "lcov",
		About: "call counts by class and method or, of LLVM's front ends, counts of source lines, for genhtml and lcov",
		Options: []codec.Option{
			codec.NewOption("function-lines", &e.Lines, "give every function one line; lcov and genhtml drop files without lines"),
			codec.NewOption("binary", &e.Programs,
				"instrumented program or library: import takes functions from it that raw profiles lack "+
					"(-profile-correlate=binary, or salvage), export its coverage mapping for source lines; may be given more than once"),
		}, Units: []string{ledger.Invocations}}
}

// Export writes the call counts of an archive, or its source lines. See [Write] and [WriteLines].
func (e *Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	if len(e.Programs) > 0 {
		return WriteLines(w, s, e.Programs...)
	}
	r, err := Write(w, s, WriteOptions{Lines: e.Lines})
	if err != nil {
		return nil, err
	}
	var lost codec.Losses
	lost.AddLoss(codec.Loss{What: LossUnknown, Count: r.Unknown, First: r.FirstUnknown})
	return &codec.Report{Lost: lost, Totals: r.Totals}, nil
}
