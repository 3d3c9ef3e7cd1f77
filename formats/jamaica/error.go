package jamaica

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that a [*SyntaxError] matches.
var (
	// ErrNoProfile: the text holds no profile at all.
	ErrNoProfile = errors.New("no profile of a JamaicaVM in it: run the program with jamaicavmp, or build it with " +
		"jamaica -profile, let it end by itself, and name the .prof file")
	// ErrSyntax: a line is not what a VM writes there.
	ErrSyntax = errors.New("not what a JamaicaVM writes here")
	// ErrCut: the last line has no end and lacks a value.
	ErrCut = errors.New("the text is cut off: copy the file again, or remove its last line")
)

// A SyntaxError says what is wrong with a text, and where.
type SyntaxError struct {
	Name     string // of the text, empty if it has none
	Line     int    // from 1; 0 if no single place is meant
	Column   int    // in bytes, from 1
	Kind     error  // the sentinel that the error matches
	Expected string // what should stand there
	Found    string // what stands there, shortened
}

// Error gives `hello.prof: line 12, column 9: not what ...: expected a number of cycles, found "..."`.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Column)
	}
	b.WriteString(e.Kind.Error())
	if e.Expected != "" {
		fmt.Fprintf(&b, ": expected %s, found %q", e.Expected, e.Found)
	}
	return b.String()
}

// Unwrap gives the sentinel.
func (e *SyntaxError) Unwrap() error { return e.Kind }

// foundLimit bounds what an error quotes of a line.
const foundLimit = 60

func shorten(text []byte) string {
	if len(text) > foundLimit {
		return string(text[:foundLimit]) + "..."
	}
	return string(text)
}
