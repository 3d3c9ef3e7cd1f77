package parse

import (
	"slices"
	"strings"
)

// textMarks are byte order marks. Import skips the UTF-8 mark at the beginning of a file, and refuses the UTF-16 marks.
var textMarks = []string{"\ufeff", "\xff\xfe", "\xfe\xff"}

// BeginsWithTextMark reports whether the beginning of a file would be read as a byte order mark. A writer of text puts
// a comment or a mark before a name that begins with one.
func BeginsWithTextMark(text string) bool {
	return slices.ContainsFunc(textMarks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}
