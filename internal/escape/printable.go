package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPrinted is how many bytes of one text people are shown. JSON has all.
const maxPrinted = 8 << 10

// Printable returns foreign text as people are shown it: in one line, so that no
// name can pass for another line of the output. Text that is not printable is
// quoted as Go does, and of a very long one the middle is left out.
func Printable(text string) string {
	if len(text) > maxPrinted {
		text = withoutMiddle(text)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(text)
	}
	return text
}

// withoutMiddle leaves out the middle of a long text and says how long that is.
func withoutMiddle(text string) string {
	front, end := maxPrinted/2, len(text)-maxPrinted/4
	for front > 0 && !utf8.RuneStart(text[front]) {
		front--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return fmt.Sprintf("%s...(%d bytes)...%s", text[:front], end-front, text[end:])
}
