package terminal

import (
	"strings"
	"testing"
)

// A long line continues below its text, and loses nothing.
func TestFold(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"short  line":                       "short  line",
		"command  java -Xmx1g -jar app.jar": "command  java -Xmx1g\n         -jar app.jar",
		"         (a, b, c, d, e, f, g, h)": "         (a, b, c, d,\n         e, f, g, h)",
		"vm  /a/very/long/path/to/a.jar x":  "vm  /a/very/long/path/to/a.jar\n    x",
	} {
		t.Run(line, func(t *testing.T) {
			got := foldLine(line, 22)
			if got != want || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(line), " ") {
				t.Errorf("%q: %q, want %q", line, got, want)
			}
		})
	}
}
