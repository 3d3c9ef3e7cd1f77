// Package printtest checks what commands print of hostile archives, in tests.
package printtest

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/parse/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// forgedLine matches a line that a hostile text added to the output.
var forgedLine = regexp.MustCompile(`(?m)^\s*` + specimen.Forged)

// CheckText fails the test if text has a character that a terminal obeys, or a
// line that a hostile text forged.
func CheckText(t *testing.T, what, text string) {
	t.Helper()
	CheckCharacters(t, what, text)
	if at := forgedLine.FindStringIndex(text); at != nil {
		t.Errorf("%s: a text forged a line: %q", what, text[max(at[0]-200, 0):min(at[1]+40, len(text))])
	}
}

// CheckCharacters fails the test if text is not UTF-8 or has a character that a
// terminal obeys.
func CheckCharacters(t *testing.T, what, text string) {
	t.Helper()
	if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && escape.Unsafe(r) }); at >= 0 ||
		!utf8.ValidString(text) {
		t.Errorf("%s: prints %q", what, text[max(at-40, 0):min(at+40, len(text))])
	}
}
