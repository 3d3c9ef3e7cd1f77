package hotspot

import (
	"errors"
	"fmt"
	"strings"
)

// The sentinels that a [*TextError] matches.
var (
	// ErrNoMethodData: the text holds no method data at all.
	ErrNoMethodData = errors.New("no PrintMethodData text in it: run the program with " +
		"java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData (in this order), let it exit by itself, " +
		"and keep all of its standard output")
	// ErrTextCut: the text ends before its last line, "Total MDO size".
	ErrTextCut = errors.New("method data is cut off: let the program exit by itself, SIGKILL or a full disk " +
		"loses the rest, and keep its whole output")
	// ErrTextSyntax: a line is not what a VM prints there.
	ErrTextSyntax = errors.New("not what PrintMethodData prints here")
)

// A TextError says what is wrong with a text, and where.
type TextError struct {
	Name     string // of the text, empty if it has none
	Line     int    // from 1; 0 if no single place is meant
	Offset   int64  // of the line's first byte, from 0
	Kind     error  // the sentinel that the error matches
	Expected string // what should stand there
	Found    string // what stands there, shortened
}

// Error gives `javac.txt: line 12, byte 345: not what ...: expected "count(", found "..."`.
func (e *TextError) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "%s: ", e.Name)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, byte %d: ", e.Line, e.Offset)
	}
	b.WriteString(e.Kind.Error())
	if e.Expected != "" {
		fmt.Fprintf(&b, ": expected %s", e.Expected)
	}
	if e.Found != "" {
		fmt.Fprintf(&b, ", found %q", e.Found)
	}
	return b.String()
}

// Unwrap gives the sentinel.
func (e *TextError) Unwrap() error { return e.Kind }

// foundLimit bounds what an error quotes of a line.
const foundLimit = 80

func shorten(line []byte) string {
	if len(line) > foundLimit {
		return string(line[:foundLimit]) + "..."
	}
	return string(line)
}
