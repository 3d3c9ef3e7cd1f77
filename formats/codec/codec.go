package codec

import (
	"io"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Format describes a format to users.
type Format struct {
	Name   string // as reports and the flag -t spell it, for instance "profdata"
	About  string // one line: what writes or reads such files
	Binary bool   // it is not text, and must not be printed to a terminal
	// Options are the fields of the importer or exporter that a user may set by name.
	Options []Option
}

// An Importer reads one format. Its fields are the options of the format; its zero value reads with the
// defaults. An importer keeps nothing from one input to the next.
type Importer interface {
	Format() Format
	// Detect reports whether an input is of the format, by its first bytes: all of
	// them if whole is set, otherwise the first mebibyte.
	Detect(head []byte, whole bool) bool
	// Import reads the whole input into a builder, which the report has.
	Import(in *Input) (*Report, error)
}

// A NearDetector is an Importer that also recognises an input with a mistake where its format begins. It
// reads the input if no importer detects its format, so that the error says where the mistake is.
type NearDetector interface {
	// DetectNear reports whether the input, by its first mebibyte, can be meant to be of no other format.
	DetectNear(head []byte) bool
}

// An Exporter writes one format. Its fields are the options of the format; its
// zero value writes with the defaults.
type Exporter interface {
	Format() Format
	// Export writes the profiles of an archive, and returns what the format cannot express.
	Export(w io.Writer, s *reader.Store) (Losses, error)
}

// An Input is what an importer reads.
type Input struct {
	io.Reader        // the bytes, decompressed
	Name      string // for errors
	Several   bool   // it is one of several inputs
	// Config is what the archive says of itself. The importer sets the parameters of its
	// Params that the input shows.
	Config builder.Config
	// Unordered asks to forget the order of the profiles in the input: then
	// inputs that differ in nothing else give the same archive.
	Unordered bool
	// Sum and Weight are for importers that set Report.Sum: the builder with the inputs before this one, nil for
	// the first, and what the counts of this one are multiplied by, 0 for 1.
	Sum    *builder.Builder
	Weight layout.Weight
}

// A Report has what an importer read of one input.
type Report struct {
	// Dumps are builders with the profiles. Mostly there is one: an input has all that a process dumped. The
	// dumps of several inputs are merged as archives are, none counted twice.
	Dumps []*builder.Builder
	// Sum takes the place of Dumps if a training run leaves many inputs, thousands if they are LLVM's. Their
	// profiles are summed while they are read: it is Input.Sum, to which the importer added those of this
	// input, or a new builder for the first.
	Sum *builder.Builder
	// AsLLVM merges the input with others as llvm-profdata does. See merge.Run.
	AsLLVM bool

	Methods int // with a profile
	Entries int // profile entries
	// Facts is what else the format says of the input, by the key in JSON.
	Facts map[string]any
	Lost  Losses
	// Notes tell users, in sentences, which facts of the input the archive keeps in another form.
	Notes []string
}
