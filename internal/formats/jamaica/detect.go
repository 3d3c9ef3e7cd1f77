package jamaica

import (
	"bytes"

	"github.com/profarc/profarc/internal/formats/parse"
)

// Detect reports whether the start of a file contains a line with a JamaicaVM keyword and valid values.
func Detect(head []byte) bool {
	scratch := nameTable{ids: map[string]nameID{}}
	for line := range bytes.Lines(head) {
		if detectLine(bytes.TrimRight(line, "\r\n"), &scratch) {
			return true
		}
	}
	return false
}

func detectLine(text []byte, scratch *nameTable) bool {
	_, key, rest, known := cutKeyword(text)
	if !known || len(text) > parse.MaxJamaicaLine {
		return false
	}
	l := lineParser{text: text, offset: rest, form: &lineForms[key]}
	expected, _ := l.parseValues(&record{}, scratch.internName)
	return expected == ""
}
