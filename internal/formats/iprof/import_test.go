package iprof

import (
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/reader"
)

// ReadOptions are what tests choose for an import, and WriteOptions for an export.
type (
	ReadOptions struct {
		Name               string
		Unordered, Salvage bool
	}
	WriteOptions = Exporter
)

// Read imports a file and returns its builder.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	in := &codec.Input{Reader: r, Name: o.Name, Unordered: o.Unordered}
	report, err := (&Importer{Salvage: o.Salvage}).readProfile(in)
	if err != nil {
		return nil, nil, err
	}
	return report.Dumps[0], report, nil
}

func Write(w io.Writer, s *reader.Store, o WriteOptions) (*codec.Report, error) {
	return o.Export(w, s)
}
