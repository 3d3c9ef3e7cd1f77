package parse

import (
	"fmt"
	"path/filepath"
	"strings"
)

// A Place is a line of an input.
type Place struct {
	Name   string // file name, or ""
	Line   int    // line number from 1, or 0 before the first line
	Offset int64  // file offset of the line's first byte
}

// Describe returns the text of a line with its file and number, such as "app.folded:12: the line".
func (p Place) Describe(text string) string {
	return fmt.Sprintf("%s:%d: %s", filepath.Base(p.Name), p.Line, text)
}

// An Error is a defect of an input.
type Error struct {
	Place
	Column   int    // column in bytes from 1, or 0 for the whole line
	Kind     error  // sentinel of the format, *LimitError, or error of the builder
	Expected string // description of valid input, or ""
	Found    string // actual input, shortened
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

// Unwrap returns e.Kind.
func (e *Error) Unwrap() error { return e.Kind }

// Fail returns an error about the whole line.
func (p Place) Fail(kind error) *Error { return &Error{Place: p, Kind: kind} }

// FailAt returns an error at the column of c.
func (p Place) FailAt(c *Cursor, kind error) *Error {
	return &Error{Place: p, Column: c.At + 1, Kind: kind}
}

// Missing returns the error for the mismatch of c, or nil if there was none.
func (p Place) Missing(c *Cursor, kind error) error {
	if c.OK() {
		return nil
	}
	return &Error{Place: p, Column: c.At + 1, Kind: kind, Expected: c.Expected(), Found: Shorten(c.Rest())}
}

// maxFound is the maximum number of bytes that an error quotes.
const maxFound = 60

// Shorten truncates text for an error message.
func Shorten(text []byte) string {
	if len(text) > maxFound {
		return string(text[:maxFound]) + "..."
	}
	return string(text)
}
