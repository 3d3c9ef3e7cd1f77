package text

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

// An Importer reads the text of an archive.
type Importer struct {
	// AsLLVM merges several texts as llvm-profdata merge does.
	AsLLVM bool
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "text", About: "what profarc export -t text writes, perhaps edited",
		Options: []codec.Option{parse.AsLLVMOption(&i.AsLLVM)}}
}

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool { return Detect(head) }

// DetectNear reports whether the input must be a text with a mistake. It accepts mistakes after the first word.
func (*Importer) DetectNear(head []byte) bool { return bytes.HasPrefix(head, []byte("profarc ")) }

// Import reads one dump. Of the configuration it ignores Params and Flags. Producer, time, fingerprint and dump id
// override the text.
func (i *Importer) Import(in *codec.Input) (*codec.Report, error) {
	r, err := i.readText(in)
	if err != nil {
		return nil, err
	}
	r.AsLLVM = i.AsLLVM
	r.HasAccount = true
	r.Facts = map[string]any{"domain": r.Domain.String(), "profiles": r.Profiles, "lines": r.Lines}
	return &r.Report, nil
}

// An Exporter writes the text of an archive. It has no options.
type Exporter struct{}

// Format implements [codec.Exporter].
func (*Exporter) Format() codec.Format {
	return codec.Format{Name: "text", About: "everything, in text for review and version control; import reads it again"}
}

// Losses of [Exporter].
const (
	LossMeaningless codec.LossKind = "flags of wide entries that mean nothing"
	LossMisplaced   codec.LossKind = "wide entries that are not among the data entries"
)

// A Report describes a text that was read.
type Report struct {
	codec.Report
	Domain   layout.Domain
	Lines    int
	Profiles int
}

// Errors that an [*Error] matches. It can also match an error of package builder, such as builder.ErrDuplicate.
var (
	// ErrFormat means that the first line does not match any version of the format.
	ErrFormat = errors.New("not the text of an archive: its first line would be \"" + firstLine + "\"")
	// ErrVersion means that the version of the text is not supported.
	ErrVersion = errors.New("text of an unknown version: this program reads \"" + firstLine + "\"; use a newer profarc")
	// ErrSyntax means that a line is malformed or cannot follow here.
	ErrSyntax = errors.New("not understood")
	// ErrOrder means that the text has the order table of another domain, which an unordered import would drop. It
	// matches ErrSyntax too.
	ErrOrder = fmt.Errorf("%w", ErrSyntax)
	// ErrCut means that the line "end" is missing.
	ErrCut = errors.New("the text is cut off: its last line would be \"end\"")
)

// An Error is a defect of a text with its line and column.
type Error = parse.Error
