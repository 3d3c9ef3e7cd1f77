package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPrinted is the most bytes of one text that people are shown. JSON has all of it.
const maxPrinted = 8 << 10

// Printable returns foreign text as people are shown it: on one line, so that no name can forge a line of the
// output. Text that is not printable is quoted as in Go, and the middle of a very long text is left out.
func Printable(text string) string {
	if len(text) > maxPrinted {
		text = withoutMiddle(text)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(text)
	}
	return text
}

// withoutMiddle replaces the middle of a long text by its length.
func withoutMiddle(text string) string {
	front := maxPrinted / 2
	end := len(text) - maxPrinted/4
	for front > 0 && !utf8.RuneStart(text[front]) {
		front--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return fmt.Sprintf("%s...(%d bytes)...%s", text[:front], end-front, text[end:])
}
