package codec

import (
	"io"

	"github.com/profarc/profarc/builder"
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
	// Import reads the whole input and pushes its profiles into the batch. After
	// an error the caller drops the batch, and what was pushed with it.
	Import(in *Input, batch *Batch) (*Report, error)
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
}

// OfName returns "of NAME " for an input among several, and "" for a single one. It goes between a count and
// the counted noun in messages that need no name if there is one input alone.
func (in *Input) OfName() string {
	if in.Several {
		return "of " + in.Name + " "
	}
	return ""
}

// A Report says what an importer read of one input.
type Report struct {
	Methods int // with a profile
	Entries int // profile entries
	// Facts is what else the format says of the input, by the key in JSON.
	Facts map[string]any
	Lost  Losses
	// Notes tell users, in sentences, which facts of the input the archive keeps in another form.
	Notes []string
}
