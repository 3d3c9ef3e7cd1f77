package parse

import (
	"fmt"
	"strings"
)

// A Place is a line of an input.
type Place struct {
	Name   string // of the file; empty if it has none
	Line   int    // from 1; 0 before the first line
	Offset int64  // of the line's first byte, from 0
}

// An Error names a defect of an input, and its place.
type Error struct {
	Place
	Column   int    // in bytes, from 1; 0 if the line as a whole is meant
	Kind     error  // what the error matches: a sentinel of the format, a limit, or what the builder refused
	Expected string // what could stand there; empty if the kind says it all
	Found    string // what stands there, shortened
}

// Error returns `app.txt: line 12, column 5: not understood: expected "count=", found "60949"`.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	switch {
	case e.Column > 0:
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Column)
	case e.Line > 0:
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	b.WriteString(e.Kind.Error())
	if e.Expected != "" {
		fmt.Fprintf(&b, ": expected %s", e.Expected)
	}
	switch {
	case e.Found != "":
		fmt.Fprintf(&b, ", found %q", e.Found)
	case e.Expected != "" && e.Column > 0:
		b.WriteString(", found the end of the line")
	}
	return b.String()
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Fail returns the error of a line as a whole.
func (p Place) Fail(kind error) *Error { return &Error{Place: p, Kind: kind} }

// FailAt returns the error of the place in a line at which a cursor is.
func (p Place) FailAt(c *Cursor, kind error) *Error {
	return &Error{Place: p, Column: c.At + 1, Kind: kind}
}

// Missing returns the error of a line in which a cursor missed something, nil if it missed nothing.
func (p Place) Missing(c *Cursor, kind error) error {
	if c.OK() {
		return nil
	}
	e := p.FailAt(c, kind)
	e.Expected, e.Found = c.Expected(), Shorten(c.Rest())
	return e
}

// maxFound is the length in bytes of what an error quotes of an input.
const maxFound = 60

// Shorten returns text for an error to quote.
func Shorten(text []byte) string {
	if len(text) > maxFound {
		return string(text[:maxFound]) + "..."
	}
	return string(text)
}
