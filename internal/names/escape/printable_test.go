package escape

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLongTextsAreCutForPeople: JSON has all of a name, a line has a part.
func TestLongTextsAreCutForPeople(t *testing.T) {
	for _, text := range []string{strings.Repeat("a", maxPrinted+1), strings.Repeat("\u65e5", maxPrinted)} {
		got := Printable("begin" + text + "end")
		if len(got) > maxPrinted || !strings.HasPrefix(got, "begin") || !strings.HasSuffix(got, "end") ||
			!utf8.ValidString(got) ||
			!strings.Contains(got, "bytes)...") {
			t.Errorf("%d bytes became %d: %.100q", len(text), len(got), got)
		}
	}
	if text := strings.Repeat("a", maxPrinted); Printable(text) != text {
		t.Error("a text that is not too long was cut")
	}
}
