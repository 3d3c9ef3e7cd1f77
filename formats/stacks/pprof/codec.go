package pprof

import (
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes profiles for go tool pprof. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "pprof", About: "sampled stacks, and counters of methods, for go tool pprof", Binary: true}
}

// Options implements [codec.Exporter].
func (*Exporter) Options() []codec.Option { return nil }

// Export writes the stacks and counters of an archive. See [Write].
func (*Exporter) Export(w io.Writer, s *reader.Store) (lost codec.Losses, err error) {
	r, err := Write(w, s)
	if err != nil {
		return nil, err
	}
	lost.Add("values above 2^63-1: pprof holds no higher ones", r.Clamped)
	return lost, nil
}
