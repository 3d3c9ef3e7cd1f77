package lcov

import (
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes tracefiles.
type Exporter struct {
	Lines    bool     // see [WriteOptions]
	Programs []string // programs for [WriteLines], which replaces [Write] if there are any
}

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	return codec.Format{Name: "lcov",
		About: "call counts by class and method or, of LLVM's front ends, counts of source lines, for genhtml and lcov",
		Options: []codec.Option{
			codec.NewOption("function-lines", &e.Lines, "give every function one line; lcov and genhtml drop files without lines"),
			codec.NewOption("binary", &e.Programs,
				"instrumented program or library: import takes functions from it that raw profiles lack "+
					"(-profile-correlate=binary), export its coverage mapping for source lines; may be given more than once"),
		}}
}

// Export writes the call counts of an archive, or its source lines. See [Write] and [WriteLines].
func (e *Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	if len(e.Programs) > 0 {
		lost, err := WriteLines(w, s, e.Programs...)
		return &codec.Report{Lost: lost}, err
	}
	r, err := Write(w, s, WriteOptions{Lines: e.Lines})
	if err != nil {
		return nil, err
	}
	var lost codec.Losses
	lost.Add("methods that may or may not have run: not known", r.Unknown)
	return &codec.Report{Lost: lost}, nil
}
