// Package escape makes foreign text safe for a terminal. A terminal obeys control characters, and readers cannot see
// bidirectional controls and characters without width. A name could use them to hide its neighbors or to pass for
// another name.
//
// Escapes follow JSON strings, \uXXXX, so that one writer serves text and JSON. A byte outside of valid UTF-8 becomes
// the lone surrogate \udcXX. docs/format.md fixes both for the JSON dump.
package escape

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// unsafe lists the ranges of escaped characters in ascending order.
var unsafe = [...]struct{ first, last rune }{
	{0x00, 0x1f},       // C0 controls
	{0x7f, 0x9f},       // delete, C1 controls
	{0xad, 0xad},       // soft hyphen
	{0x61c, 0x61c},     // Arabic letter mark
	{0x180e, 0x180e},   // Mongolian vowel separator
	{0x200b, 0x200f},   // zero width; marks of direction
	{0x2028, 0x202e},   // line and paragraph separators; embeddings and overrides of direction
	{0x2060, 0x206f},   // word joiner, isolates of direction, deprecated controls
	{0xfeff, 0xfeff},   // byte order mark
	{0xfff9, 0xfffb},   // interlinear annotations
	{0xe0000, 0xe007f}, // tags
}

// Unsafe reports whether a character must be escaped. Line feed and tab are unsafe, too.
func Unsafe(r rune) bool {
	for _, in := range unsafe {
		if r <= in.last {
			return r >= in.first
		}
	}
	return false
}

func AppendEscape(b []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendUnit(appendUnit(b, high), low)
	}
	return appendUnit(b, r)
}

// AppendInvalid appends the escape of a byte that is not part of valid UTF-8.
func AppendInvalid(b []byte, invalid byte) []byte { return appendUnit(b, 0xdc00|rune(invalid)) }

func appendUnit(b []byte, u rune) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
}

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

// A Writer escapes unsafe characters except line feeds and tabs. It holds back an incomplete character until the next
// Write, so callers must call Close after the last one.
type Writer struct {
	w    io.Writer
	held []byte // start of an incomplete character
	out  []byte // scratch
}

func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write writes text. It returns the number of bytes taken from p, not the length of the escapes.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
	}
	whole := len(text) - incompleteSuffix(text)
	if err := w.escapeText(text[:whole]); err != nil {
		return 0, err
	}
	w.held = append([]byte(nil), text[whole:]...)
	return len(p), nil
}

// Close escapes an incomplete character at the end of the text.
func (w *Writer) Close() error {
	held := w.held
	w.held = nil
	return w.escapeText(held)
}

// escapeText writes whole characters.
func (w *Writer) escapeText(text []byte) error {
	plain := plainPrefix(text)
	if plain == len(text) {
		return w.writeBytes(text)
	}
	out := append(w.out[:0], text[:plain]...)
	for text = text[plain:]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			out = AppendInvalid(out, text[0])
		case r != '\n' && r != '\t' && Unsafe(r):
			out = AppendEscape(out, r)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	w.out = out
	return w.writeBytes(out)
}

func (w *Writer) writeBytes(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := w.w.Write(b)
	return err
}

func plainPrefix(text []byte) int {
	for i, c := range text {
		if c-' ' >= 0x7f-' ' && c != '\n' && c != '\t' {
			return i
		}
	}
	return len(text)
}

func incompleteSuffix(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		tail := text[len(text)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
