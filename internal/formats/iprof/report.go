package iprof

import (
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/formats/codec"
)

// Losses of reading a file.
const (
	LossOdd     codec.LossKind = "items that are not what they should be: left out, or what is unknown in them"
	LossForeign codec.LossKind = "keys that have no meaning here: kept only where a file is imported alone and in order"
)

// Losses of writing a file.
const (
	LossEntry      codec.LossKind = "entries that iprof has no section for"
	LossRows       codec.LossKind = "counts of other types, nulls and traps of type profiles"
	LossCounter    codec.LossKind = "counters, sizes and histories of methods that iprof does not have"
	LossCode       codec.LossKind = "ids of the code that a profile is of"
	LossInstanceof codec.LossKind = "instanceof profiles: write version 1.1.0 to keep them"
	LossSignature  codec.LossKind = "signatures that are not spelled like Graal's"
	LossLoader     codec.LossKind = "class loaders and flags"
	LossCount      codec.LossKind = "counts above 2^63-1: written as 2^63-1"
	LossNoType     codec.LossKind = "rows without a type"
	LossVersion    codec.LossKind = "spelling of a version before 0.4.0: a later version is written"
	LossOrder      codec.LossKind = "the source order: the archive has other profiles by now"
	LossTable      codec.LossKind = "tables that iprof has no section for"
	PrunedMethods  codec.LossKind = "methods that nothing refers to: pruned"
	PrunedTypes    codec.LossKind = "types that nothing refers to: pruned"
)

// A Report describes a file that was read.
type Report struct {
	codec.Report
	Version  string // version of the file
	Types    int
	Profiles int // number of methods in contexts
	Stacks   int // number of sampled stacks
	Seen     int // number of instrumented methods without counts
	// Dangling counts the ids of methods and types without a row. Their names are the ids.
	Dangling int
	// Repeated counts the rows with the id of an earlier row. All uses of the id refer to the first row.
	Repeated int
	Salvage  *Salvage // unread part of the file, or nil
}

// Salvage describes the unread part of a file.
type Salvage struct {
	Offset int64  // end offset of the last complete record
	Last   string // name of that record
	Left   int64  // number of bytes after it
	Reason *Error
}

// Sentinels that an [*Error] matches.
var (
	// ErrSyntax is returned for text that is invalid at its position in a profile.
	ErrSyntax = errors.New("not what an iprof file has here")
	// ErrCut is returned for a truncated file.
	ErrCut = errors.New("the profile is cut off")
	// ErrSalvageable is returned with ErrCut if [Importer].Salvage would read the complete records of the file.
	ErrSalvageable = errors.New("what is whole can be read")
	// ErrNoProfile is returned for JSON that is not a profile.
	ErrNoProfile = errors.New("no GraalVM profile: run a binary that native-image --pgo-instrument made, and import " +
		"its .iprof file")
	// ErrVersion is returned for a later major version.
	ErrVersion = errors.New("a later major version of iprof: use a newer profarc")
)

// An Error describes an error in a profile and where it is.
type Error struct {
	Name   string // file name, or ""
	Offset int64  // byte offset
	Last   string // last complete record before the error, or ""
	Kind   error  // sentinel that the error matches
	Detail string // expected or found text, or advice

	salvageable bool
}

// Error returns, for example, "app.iprof: byte 812: the profile is cut off: ...".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	fmt.Fprintf(&b, "byte %d", e.Offset)
	if e.Last != "" {
		fmt.Fprintf(&b, ", after %s", e.Last)
	}
	fmt.Fprintf(&b, ": %s", e.Reason())
	return b.String()
}

// Reason returns the error without the file and the offset.
func (e *Error) Reason() string {
	if e.Detail == "" {
		return e.Kind.Error()
	}
	return fmt.Sprintf("%v: %s", e.Kind, e.Detail)
}

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }

// Is reports whether target is ErrSalvageable and e is salvageable.
func (e *Error) Is(target error) bool { return target == ErrSalvageable && e.salvageable }
