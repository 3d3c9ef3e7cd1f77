package hotspot

import (
	"errors"

	"github.com/profarc/profarc/internal/parse"
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

// A TextError says what is wrong with a text, and where: Name, Line, Column, the
// Kind that it matches, what was Expected and what was Found.
type TextError = parse.Error
