package pages

import (
	"strings"
	"unicode"
)

// longestPart is the most characters of a name between two places where it may be broken.
const longestPart = 32

// nameParts divides a text where its lines may be broken: after the packages, classes and
// parameters of a name, before its parameters, and where it has none of them for long.
func nameParts(text string) (parts []string) {
	begin, length := 0, 0
	var last rune
	for i, r := range text {
		full := length >= longestPart && !unicode.In(r, unicode.M, unicode.Cf)
		if i > begin && (full || endsPart(text[:i], text[i:], last, r)) {
			parts = append(parts, text[begin:i])
			begin, length = i, 0
		}
		if last, length = r, length+1; unicode.IsSpace(r) {
			length = 0
		}
	}
	return append(parts, text[begin:])
}

// endsPart reports whether a part of a name ends between two characters, with the text before and
// after. Numbers and signs of several characters are not divided.
func endsPart(before, after string, last, next rune) bool {
	switch {
	case strings.HasPrefix(after, "()"):
		return false
	case (next == '(' || next == '<') && (unicode.IsLetter(last) || unicode.IsDigit(last)):
		return true
	case !unicode.IsLetter(next) && next != '_' && next != '<':
		return false
	case last == ':':
		return strings.HasSuffix(before, "::")
	}
	return strings.ContainsRune("./,$;", last)
}
