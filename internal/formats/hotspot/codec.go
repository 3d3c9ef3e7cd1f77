package hotspot

import (
	"bytes"
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/reader"
)

// An Importer reads the output of PrintMethodData.
type Importer struct {
	// Salvage imports the intact part of a truncated or damaged text.
	Salvage bool
	// ClassPath has the class files of the program, for the code ids of methods whose bytecodes the text lacks.
	ClassPath []string
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "methoddata", About: "what java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData prints",
		Options: []codec.Option{parse.SalvageOption(&i.Salvage), parse.ClassPathOption(&i.ClassPath)}}
}

// Detect reports whether a text has method data. It accepts any text longer than head, because programs can print
// before their VM does. Import reports missing parts.
func (*Importer) Detect(head []byte, whole bool) bool {
	return Detect(head) || !whole && bytes.IndexByte(head, 0) < 0
}

// Import reads one text, which is one dump. See [ReadText].
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	codes, err := parse.OpenCodes(i.ClassPath)
	if err != nil {
		return nil, err
	}
	defer codes.Close()
	b, r, err := ReadText(in, TextOptions{Name: in.Name, Config: in.Config, Unordered: in.Unordered, Salvage: i.Salvage,
		Codes: codes})
	if err != nil {
		return nil, err
	}
	r.Lost.Add(parse.LossLoaders, r.Methods)
	return &codec.Report{
		Totals: r.Totals, Salvaged: r.Salvaged,
		Dumps:   []*builder.Builder{b},
		Methods: r.Methods, Entries: r.Entries, Lost: r.Lost,
		Facts: map[string]any{"dialect": r.Dialect.String(), "hidden_classes": r.HiddenClasses, "other_lines": r.OtherLines},
	}, nil
}

// An Exporter writes text as PrintMethodData prints it. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "methoddata", About: "text as java -XX:+PrintMethodData prints it (domain hotspot)",
		Units: []string{ledger.Invocations, ledger.Backedges, ledger.BranchCounts, ledger.TypeCounts}}
}

// Export writes an archive of domain hotspot. See [WriteText].
func (*Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	r, err := WriteText(w, s)
	if err != nil {
		return nil, err
	}
	return &codec.Report{Totals: r.Totals, Lost: r.Lost}, nil
}
