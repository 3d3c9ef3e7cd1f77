package parse

import "strings"

// UTF8Mark is the UTF-8 byte order mark, which imports skip at the beginning of a file.
const UTF8Mark = "\ufeff"

// BeginsWithUTF16Mark reports whether a text begins with a UTF-16 byte order mark. Imports refuse such a file.
func BeginsWithUTF16Mark(text string) bool {
	return strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff")
}

// BeginsWithTextMark reports whether the beginning of a file would be read as a byte order mark. A writer of text puts
// a comment or a mark before a name that begins with one.
func BeginsWithTextMark(text string) bool {
	return strings.HasPrefix(text, UTF8Mark) || BeginsWithUTF16Mark(text)
}
