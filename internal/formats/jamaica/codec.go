package jamaica

import (
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
)

// An Importer reads JamaicaVM profiles.
type Importer struct {
	// Runs makes a dump of each run in the file. Otherwise the runs are merged.
	Runs bool
	// Salvage leaves out truncated and malformed lines.
	Salvage bool
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "jamaica", About: "the .prof file of a JamaicaVM's profiling run",
		Options: []codec.Option{codec.NewOption("runs", &i.Runs,
			"an archive for each run in the file: NAME.1.parc, NAME.2.parc, ..."),
			parse.SalvageOption(&i.Salvage)}}
}

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool { return Detect(head) }

// Import reads a profile. With Runs it returns a dump for each run, of which the first gets all lines with unknown
// keywords.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	r, err := i.readRuns(in)
	if err != nil {
		return nil, err
	}
	r.Facts = map[string]any{"runs": r.Runs, "lines": r.Lines, "cut_signatures": r.Cut}
	return &r.Report, nil
}

// An Exporter writes the profile text of a JamaicaVM. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "jamaica", About: "the profile text of a JamaicaVM (domain jamaica)",
		Units: []string{ledger.Bytecodes, ledger.Cycles, ledger.NativeCalls, ledger.NewArrays, ledger.CallCounts}}
}
