package jsondump

import (
	"io"

	"github.com/profarc/profarc/formats/codec"
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
