package parse

import (
	"errors"
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

// WithName puts the name of an input before an error. The error may be nil.
func WithName(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Shorten truncates text for an error message.
func Shorten(text []byte) string {
	if len(text) > maxFound {
		return string(text[:maxFound]) + "..."
	}
	return string(text)
}

// Limits of importers. The files of real tools are far below them. They stop wrong files and files that were made
// to exhaust memory. docs/design.md lists them.
const (
	// MaxLine is the maximum length in bytes of a line of an archive's text and of LLVM's text. The longest lines of
	// real tools have all counters of a function or all names of a trace.
	MaxLine = 64 << 20
	// MaxJamaicaLine is the maximum length in bytes of a line of a JamaicaVM profile.
	MaxJamaicaLine = 1 << 20
	// MaxItem is the maximum size in bytes of an item of an iprof file, such as a type, a method, a record, or the
	// value of an unknown key.
	MaxItem = 16 << 20
	// MaxNesting is the maximum nesting depth of JSON.
	MaxNesting = 1000
	// MaxKeys is the maximum number of unknown keys in an iprof file.
	MaxKeys = 4096
	// MaxSmallItems is the maximum number of dropped items of an iprof file that are shorter than SmallItem bytes.
	MaxSmallItems = 1 << 18
	SmallItem     = 16
	// MaxValueSites is the maximum number of value sites of one kind in a function. LLVM has 16 bits for it.
	MaxValueSites = 1<<16 - 1
	// MaxExpansion is the maximum ratio of decompressed to compressed size of an input of more than FreeExpansion
	// bytes. It also applies to the names in LLVM's files.
	MaxExpansion  = 64
	FreeExpansion = 16 << 20
	// FreeNames is the number of names that a section of LLVM's files can have in addition to one per byte.
	FreeNames = 4096
	// MaxWindow is the maximum window of a zstd stream in bytes.
	MaxWindow = 128 << 20
)

// ErrLimit is matched by every [*LimitError].
var ErrLimit = errors.New("a limit of the importer is exceeded")

// ErrExpansion is matched by the [*LimitError] of an input that exceeds MaxExpansion.
var ErrExpansion = errors.New("a compressed input expands too much")

// A LimitError reports that a file exceeds a limit. Importers wrap it in an [*Error].
type LimitError struct {
	What   string // format of the message, such as "a line of more than %d bytes"
	Most   int64  // the limit, argument of the format
	Advice string // advice to the user, or ""
	Kind   error  // error that it matches besides ErrLimit, or nil
}

// Error returns `a line of more than 67108864 bytes: no tool writes ...`.
func (e *LimitError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf(e.What, e.Most)+": "+e.Advice, ": ")
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Unwrap returns e.Kind.
func (e *LimitError) Unwrap() error { return e.Kind }

// Exceeded returns an error with the advice to check the file. what must have a verb for most.
func Exceeded(what string, most int64) *LimitError {
	return &LimitError{What: what, Most: most,
		Advice: "no tool writes such a file; check that it is the right file, and make it again"}
}
