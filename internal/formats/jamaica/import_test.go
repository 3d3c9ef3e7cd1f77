package jamaica

import (
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// ReadOptions are what tests choose for an import.
type ReadOptions struct {
	Name    string
	Salvage bool
}

// Read imports a text and returns the builder of its first dump.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	report, err := (&Importer{Salvage: o.Salvage}).readRuns(&codec.Input{Reader: r, Name: o.Name})
	if err != nil {
		return nil, nil, err
	}
	return report.Dumps[0], report, nil
}

func Write(w io.Writer, s *reader.Store) (*codec.Report, error) { return (&Exporter{}).Export(w, s) }
