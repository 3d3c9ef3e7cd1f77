package text

import (
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// ReadOptions are what tests choose for an import.
type ReadOptions struct {
	Name      string
	Config    builder.Config
	Unordered bool
}

// Read imports a text and returns its builder.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	report, err := (&Importer{}).readText(&codec.Input{Reader: r, Name: o.Name, Config: o.Config, Unordered: o.Unordered})
	if err != nil {
		return nil, nil, err
	}
	return report.Dumps[0], report, nil
}

func Write(w io.Writer, s *reader.Store) (*codec.Report, error) { return (&Exporter{}).Export(w, s) }
