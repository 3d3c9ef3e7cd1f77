package terminal

import (
	"bufio"
	"regexp"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/profarc/profarc/internal/cli"
)

// FoldLines calls print with an App and the Screen of its output. On a terminal, a long line continues below the text
// after its first column. A word longer than a line stays whole.
func FoldLines(a *cli.App, print func(*cli.App, *Screen)) {
	s := &Screen{a: a}
	_, s.Width, _ = terminalSize(a)
	if s.Width == 0 {
		print(a, s)
		return
	}
	var text strings.Builder
	folded := *a
	folded.Out = bufio.NewWriter(&text)
	print(&folded, s)
	_ = folded.Out.Flush() // a builder takes everything
	for line := range strings.Lines(text.String()) {
		_, _ = a.Out.WriteString(foldLine(strings.TrimSuffix(line, "\n"), s.Width) + "\n")
	}
}

// firstColumn matches the first column of a line and the gap after it, or a gap alone.
var firstColumn = regexp.MustCompile(`^ *(?:[^ ]+(?: [^ ]+)*)?  +`)

func foldLine(line string, width int) string {
	if uniseg.StringWidth(line) <= width {
		return line
	}
	first := firstColumn.FindString(line)
	indent := uniseg.StringWidth(first)
	if indent > width/2 {
		first, indent = "", 4
	}
	lines := wrapWords(line[len(first):], width-indent, func(word string) string { return word })
	return first + strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}
