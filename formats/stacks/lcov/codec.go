package lcov

import (
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes tracefiles. Its field is that of [WriteOptions].
type Exporter struct {
	Lines bool
}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "lcov", About: "call counts by class and method, for genhtml and lcov"}
}

// Options implements [codec.Exporter].
func (e *Exporter) Options() []codec.Option {
	return []codec.Option{codec.Bool("function-lines", &e.Lines, "give every function one line; lcov and genhtml drop files without lines")}
}

// Export writes the call counts of an archive. See [Write].
func (e *Exporter) Export(w io.Writer, s *reader.Store) (lost codec.Losses, err error) {
	r, err := Write(w, s, WriteOptions{Lines: e.Lines})
	if err != nil {
		return nil, err
	}
	lost.Add("methods that may or may not have run: not known", r.Unknown)
	return lost, nil
}
