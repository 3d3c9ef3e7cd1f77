package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPrinted is the maximum printed length of one text in bytes. JSON has no limit.
const maxPrinted = 8 << 10

// Printable returns foreign text on one line, so that a name cannot forge a line of the output. Text with unprintable
// characters is quoted as in Go, and very long text loses its middle.
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
