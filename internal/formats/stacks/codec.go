package stacks

import (
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// An Exporter writes sampled stacks in collapsed form. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "folded",
		About: "sampled stacks for flame graphs, a line each, root first (domains graal and sampled)"}
}

// Export writes an archive of domain graal or sampled. See [WriteFolded].
func (*Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	if err := WriteFolded(w, s); err != nil {
		return nil, err
	}
	return &codec.Report{}, nil
}
