package text

import (
	"strings"
	"testing"
)

// FuzzRead: no text makes Read panic, and an accepted one is an archive whose own text makes the same bytes.
func FuzzRead(f *testing.F) {
	for name := range specimens(f) {
		for _, small := range smallTexts(goldenText(f, name)) {
			f.Add(small)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { _ = checkAny(t, text) })
}

// smallTexts returns the texts of a few lines each that the parts of a text make: a
// small text is more likely to stay one when it is changed.
func smallTexts(text string) (small []string) {
	parts := strings.Split(text, "\n\n")
	header := strings.Join(strings.SplitAfter(parts[0], "\n")[:2], "") +
		"param type-rows 2\nparam bci-rows 2\nparam gap 1\n"
	for _, part := range parts[1 : len(parts)-1] {
		lines := strings.SplitAfter(part+"\n", "\n")
		for i := 1; i < len(lines); i += 3 {
			head := header + lines[0]
			if i > 1 && strings.HasPrefix(lines[0], "method") {
				head += "  profile\n"
			}
			small = append(small, head+strings.Join(lines[i:min(i+3, len(lines))], "")+"end\n")
		}
	}
	return small
}
