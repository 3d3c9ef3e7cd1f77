// Package escape makes foreign text safe for a terminal. A terminal obeys control characters, and readers cannot see
// bidirectional controls and characters without width. A name could use them to hide its neighbors or to pass for
// another name.
//
// Escapes follow JSON strings, \uXXXX, so that one writer serves text and JSON. A byte outside of valid UTF-8 becomes
// the lone surrogate \udcXX. docs/format.md fixes both for the JSON dump.
package escape

import (
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

// AppendEscape appends the escape of a character.
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
