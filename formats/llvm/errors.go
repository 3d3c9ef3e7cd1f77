package llvm

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that an [*Error] matches.
var (
	// ErrNotProfile: the file is none of the three forms.
	ErrNotProfile = errors.New("not an LLVM instrumentation profile (.profraw, .profdata, .proftext)")
	// ErrCut: the file ends too early.
	ErrCut = errors.New("the profile is cut off: what wrote it was killed, or the disk was full; make it again, or leave it out")
	// ErrMalformed: something in the file cannot be.
	ErrMalformed = errors.New("malformed profile: it was changed or overwritten after it was written; make it again")
	// ErrVersion: the file is of a version that is not known.
	ErrVersion = errors.New("unsupported version of an LLVM profile")
	// ErrCorrelated: names and data of the profile are in the program's debug
	// information.
	ErrCorrelated = errors.New("a profile that needs its program's debug information to be read: run " +
		"llvm-profdata merge --debug-info=PROGRAM FILE -o OUT.profdata and import that")
)

// An Error says what is wrong with a profile, and where.
type Error struct {
	Name   string // of the file, empty if it has none
	Line   int    // of text, from 1; else 0
	Offset int64  // in bytes from the start of the (decompressed) file
	Kind   error  // the sentinel that the error matches
	Detail string // what is wrong
	After  string // the last function that was read whole, empty if none was
}

// Error gives `a.profraw: byte 345: the profile is cut off: ...: counters (last whole function: main)`.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, ", e.Line)
	}
	fmt.Fprintf(&b, "byte %d: %v", e.Offset, e.Kind)
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if e.After != "" {
		fmt.Fprintf(&b, " (last whole function: %.200s)", e.After)
	}
	return b.String()
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error { return e.Kind }
