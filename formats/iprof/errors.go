package iprof

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that an [*Error] matches.
var (
	// ErrSyntax: the text is not what a profile has there.
	ErrSyntax = errors.New("not what an iprof file has here")
	// ErrCut: the text ends before the profile does.
	ErrCut = errors.New("the profile is cut off")
	// ErrNoProfile: JSON, but no profile.
	ErrNoProfile = errors.New("no GraalVM profile: run a binary that native-image --pgo-instrument made, and import its .iprof file")
	// ErrVersion: a profile of a version that is laid out in another way.
	ErrVersion = errors.New("a later major version of iprof: use a newer profarc")
)

// An Error says what is wrong with a profile, and where.
type Error struct {
	Name   string // of the file, empty if it has none
	Offset int64  // byte, from 0
	Last   string // the last whole record in front of it, empty if there is none
	Kind   error  // the sentinel that the error matches
	Detail string // what was expected or found there, or what to do
}

// Error gives "app.iprof: byte 812: the profile is cut off: ...".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	fmt.Fprintf(&b, "byte %d", e.Offset)
	if e.Last != "" {
		fmt.Fprintf(&b, ", behind %s", e.Last)
	}
	fmt.Fprintf(&b, ": %s", e.Reason())
	return b.String()
}

// Reason says what is wrong, without the place.
func (e *Error) Reason() string {
	if e.Detail == "" {
		return e.Kind.Error()
	}
	return fmt.Sprintf("%v: %s", e.Kind, e.Detail)
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error { return e.Kind }
