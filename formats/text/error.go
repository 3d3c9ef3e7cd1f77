package text

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that an [*Error] matches. It may also match an error of package
// builder, as builder.ErrDuplicate does for a profile that stands twice.
var (
	// ErrFormat: the first line is not that of a text of an archive.
	ErrFormat = errors.New("not the text of an archive: its first line would be \"" + firstLine + "\"")
	// ErrVersion: the text of a version that this code does not read.
	ErrVersion = errors.New("text of an unknown version: this program reads \"" + firstLine + "\"; use a newer profarc")
	// ErrSyntax: a line is not what can stand there.
	ErrSyntax = errors.New("not understood")
	// ErrCut: the text ends before its last line, "end".
	ErrCut = errors.New("the text is cut off: its last line would be \"end\"")
)

// An Error says what is wrong with a text, and where.
type Error struct {
	Name         string // of the text, empty if it has none
	Line, Column int    // both from 1, columns in bytes; 0 if no single place is meant
	Kind         error  // the sentinel, or what the builder refused
	Expected     string // what could stand there
	Found        string // what stands there, shortened
}

// Error gives `app.txt: line 12, column 5: not understood: expected ..., found "..."`.
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
		fmt.Fprintf(&b, ": expected %s, found ", e.Expected)
		if e.Found == "" {
			b.WriteString("the end of the line")
		} else {
			fmt.Fprintf(&b, "%q", e.Found)
		}
	}
	return b.String()
}

// Unwrap gives the sentinel.
func (e *Error) Unwrap() error { return e.Kind }

// foundLimit bounds what an error quotes of a line.
const foundLimit = 40

func shorten(line []byte) string {
	if len(line) > foundLimit {
		return string(line[:foundLimit]) + "..."
	}
	return string(line)
}
