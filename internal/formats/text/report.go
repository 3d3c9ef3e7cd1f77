package text

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

// What writing a text loses.
const (
	LossMeaningless codec.LossKind = "flags of wide entries that mean nothing"
	LossMisplaced   codec.LossKind = "wide entries that are not among the data entries"
)

// A Report says what was read or written.
type Report struct {
	Domain   layout.Domain
	Lines    int
	Methods  int
	Profiles int
	Entries  int
	Lost     codec.Losses
}

// The sentinels that an [*Error] matches. It may also match an error of package
// builder: a profile that occurs twice matches builder.ErrDuplicate.
var (
	// ErrFormat: the first line does not begin a text of an archive.
	ErrFormat = errors.New("not the text of an archive: its first line would be \"" + firstLine + "\"")
	// ErrVersion: the text is of a version that this code does not read.
	ErrVersion = errors.New("text of an unknown version: this program reads \"" + firstLine + "\"; use a newer profarc")
	// ErrSyntax: a line is not what can follow there.
	ErrSyntax = errors.New("not understood")
	// ErrOrder: the text has the order table of another domain, which ReadOptions.Unordered
	// leaves out. It matches ErrSyntax too.
	ErrOrder = fmt.Errorf("%w", ErrSyntax)
	// ErrCut: the text ends before its last line, "end".
	ErrCut = errors.New("the text is cut off: its last line would be \"end\"")
)

// An Error describes a fault of a text and its place: Name, Line, Column, the
// Kind that it matches, what was Expected and what was Found.
type Error = parse.Error
