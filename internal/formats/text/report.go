package text

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

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
