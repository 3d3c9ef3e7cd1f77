package jamaica

import (
	"bytes"
	"errors"

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

// Detect reports whether the start of a file contains a line with a JamaicaVM keyword and valid values.
func Detect(head []byte) bool {
	scratch := nameTable{ids: map[string]nameID{}}
	for line := range bytes.Lines(head) {
		if detectLine(bytes.TrimRight(line, "\r\n"), &scratch) {
			return true
		}
	}
	return false
}

func detectLine(text []byte, scratch *nameTable) bool {
	_, key, rest, known := cutKeyword(text)
	if !known || len(text) > parse.MaxJamaicaLine {
		return false
	}
	l := lineParser{text: text, offset: rest, form: &lineForms[key]}
	expected, _ := l.parseValues(&record{}, scratch.internName)
	return expected == ""
}

// Losses of [Importer].
const (
	LossLine     codec.LossKind = "lines that begin with no keyword"
	LossShare    codec.LossKind = "percentages that are not the share that the numbers of the text make, rounded down"
	LossFraction codec.LossKind = "fractions of a percent"
	LossWords    codec.LossKind = "lines with words without meaning after or before the signature"
	LossMark     codec.LossKind = "marks after signatures that are not (interpreted), or not at a count"
	LossMarkCut  codec.LossKind = "(interpreted) marks cut at several columns, which are completed"
)

// LossDamaged is a loss of [Importer] with Salvage.
const LossDamaged codec.LossKind = "lines that are cut off or malformed"

// Losses of [Exporter].
const (
	LossNeverRan codec.LossKind = "methods that never ran"
	LossContext  codec.LossKind = "profiles of one calling context, or of one version of the code: written like any other"
	LossCounter  codec.LossKind = "profiles with counters of the method as a whole: the text has none"
	LossEntry    codec.LossKind = "profile entries that the text has no line for"
	LossName     codec.LossKind = "names that cannot be read again: they are empty, or hold blanks, signs or line breaks"
	LossProperty codec.LossKind = "properties of the run that the text has no line for"
	LossFlags    codec.LossKind = "(interpreted) marks of signatures that are cut short, or of calls"
)

// A Report describes a text that was read. Its methods and entries are added up over all runs.
type Report struct {
	codec.Report
	Lines int // lines that start with a keyword
	Runs  int
	Cut   int // truncated signatures
}

// Errors that a [*SyntaxError] matches.
var (
	// ErrNoProfile means that the file contains no profile.
	ErrNoProfile = errors.New("no profile of a JamaicaVM in it: run the program with jamaicavmp, or build it with " +
		"jamaica -profile, let it end by itself, and name the .prof file")
	// ErrSyntax means that a line is malformed.
	ErrSyntax = errors.New("not what a JamaicaVM writes here")
	// ErrCut means that the last line is truncated.
	ErrCut = errors.New("the text is cut off: copy the file again, or remove its last line")
)

// A SyntaxError is an error at a line and column of the input.
type SyntaxError = parse.Error
