package terminal

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// No line of a grid exceeds the terminal, no word of the prose is lost, and a pipe gets one line a row.
func TestGridFits(t *testing.T) {
	t.Parallel()
	const name = "com.sun.tools.javac.parser.JavaTokenizer.readToken()"
	const prose = "816 of 818 hot methods of the baseline have counts; the heaviest without is another one"
	for _, width := range []int{0, 50, 80, 100, 200} {
		for _, names := range []int{-1, 1} {
			var out bytes.Buffer
			w := bufio.NewWriter(&out)
			g := NewGrid(&Screen{Width: width}, w, names)
			g.AddRow("", "state", "method", "reason")
			cell := name
			if names < 0 {
				cell = "at least 90.000%"
			}
			g.AddRow(Bad, "failed", cell, prose)
			g.Print(0)
			_ = w.Flush()
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if width == 0 && len(lines) != 2 {
				t.Errorf("a pipe gets %q", lines)
			}
			for _, line := range lines {
				if width > 0 && uniseg.StringWidth(strings.TrimRight(line, " ")) > width {
					t.Errorf("in %d cells: %q", width, line)
				}
			}
			if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text, prose) {
				t.Errorf("in %d cells: %q", width, out.String())
			}
		}
	}
}
