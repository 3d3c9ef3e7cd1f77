package show

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
)

// A countedLine is a line of source, with how often it was executed.
type countedLine struct {
	number int
	count  string  // empty if it is not known
	heat   float64 // see listing.Heat
	text   string
}

// The widths of the column of line numbers, as in llvm-cov, unless a number is longer, and of tabs.
const (
	numberWidth = 5
	tabWidth    = 8
)

// maxSourceLine is the most bytes of a line of source that are printed.
const maxSourceLine = 1 << 10

// printLine prints a line in the colour of its heat, with its count in a column of some width.
func printLine(w *bufio.Writer, screen *terminal.Screen, indent string, width int, l countedLine) {
	front := fmt.Sprintf("%s%*d|%*s|", indent, numberWidth, l.number, width, l.count)
	text := strings.TrimRight(expandTabs(l.text), " ")
	if len(text) > maxSourceLine {
		text = fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(text[:maxSourceLine], ""), len(l.text))
	}
	screen.Paint(w, heatColor(l.heat, l.count != ""), front+screen.CutEnd(text, len(front)))
	fmt.Fprintln(w)
}

// heatColor is the colour of a count: what never ran is faint.
func heatColor(heat float64, known bool) string {
	if heat == 0 && known {
		return terminal.Faint
	}
	return terminal.Heat(heat)
}

// expandTabs replaces tabs by spaces: what stands before the text would move their stops.
func expandTabs(text string) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	column := 0
	for _, r := range text {
		if r != '\t' {
			b.WriteRune(r)
			column++
			continue
		}
		n := tabWidth - column%tabWidth
		b.WriteString("        "[:n])
		column += n
	}
	return b.String()
}
