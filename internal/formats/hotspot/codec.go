package hotspot

import (
	"bytes"
	"fmt"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
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

// Import reads the text of one dump. The error is a [*TextError] for invalid text.
//
// If several class loaders define a class, its methods appear several times. All are kept, and the second gets the
// loader "text#2".
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	codes, err := parse.OpenCodes(i.ClassPath)
	if err != nil {
		return nil, err
	}
	defer codes.Close()
	dump, report, err := parseText(in, in.Name, i.Salvage)
	if err != nil {
		return nil, err
	}
	report.Lost.Add(parse.LossLoaders, report.Methods)
	err = dump.buildArchive(in, codes, report)
	if err != nil && in.Name != "" {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return report, err
}

// An Exporter writes text as PrintMethodData prints it. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "methoddata", About: "text as java -XX:+PrintMethodData prints it (domain hotspot)",
		Units: []string{ledger.Invocations, ledger.Backedges, ledger.BranchCounts, ledger.TypeCounts}}
}
