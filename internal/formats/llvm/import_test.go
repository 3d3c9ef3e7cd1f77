package llvm

import (
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/reader"
)

// ReadOptions are what tests choose for an import, and WriteOptions for an export.
type (
	ReadOptions struct {
		Name              string
		Config            builder.Config
		Into              *builder.Builder
		Binary, DebugInfo []string
		Salvage, SkipBad  bool
		Run               profileset.RunRules // weight, and whether to merge as LLVM
	}
	WriteOptions = IndexedExporter
)

// Read imports a file and returns its builder.
func Read(r io.Reader, o ReadOptions) (*builder.Builder, *Report, error) {
	i := &Importer{AsLLVM: o.Run.AsLLVM, Binary: o.Binary, DebugInfo: o.DebugInfo, Salvage: o.Salvage}
	report, err := i.readProfiles(&codec.Input{Reader: r, Name: o.Name, Config: o.Config, Sum: o.Into, SkipBad: o.SkipBad,
		Weight: o.Run.Weight})
	if err != nil {
		return nil, nil, err
	}
	return report.Sum, report, nil
}

func WriteIndexed(w io.Writer, s *reader.Store, o WriteOptions) (*codec.Report, error) {
	return o.Export(w, s)
}

func WriteText(w io.Writer, s *reader.Store, o WriteOptions) (*codec.Report, error) {
	return (&TextExporter{o.Sparse, o.KeepVTableNames}).Export(w, s)
}
