package show

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
)

type countedLine struct {
	number int
	count  string  // "" if unknown
	heat   float64 // see listing.Heat
	text   string
}

// The widths of the column of line numbers, as in llvm-cov, unless a number is longer, and of tabs.
const (
	numberWidth = 5
	tabWidth    = 8
)

const maxSourceLine = 1 << 10

func printLine(w *bufio.Writer, screen *terminal.Screen, indent string, width int, l countedLine) {
	front := fmt.Sprintf("%s%*d|%*s|", indent, numberWidth, l.number, width, l.count)
	text := strings.TrimRight(expandTabs(l.text), " ")
	if len(text) > maxSourceLine {
		text = fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(text[:maxSourceLine], ""), len(l.text))
	}
	screen.PaintText(w, heatColor(l.heat, l.count != ""), front+screen.CutTail(text, len(front)))
	fmt.Fprintln(w)
}

func heatColor(heat float64, known bool) string {
	if heat == 0 && known {
		return terminal.Faint
	}
	return terminal.HeatColor(heat)
}

// expandTabs replaces tabs with spaces, since the columns before the text shift the tab stops.
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
