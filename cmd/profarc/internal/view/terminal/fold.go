package terminal

import (
	"bufio"
	"regexp"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/profarc/profarc/internal/cli"
)

// Fold calls print with an App and the Screen of its output. On a terminal a line that is too long continues below the
// text behind its first column. Nothing is lost: a word that is longer than a line stays whole.
func Fold(a *cli.App, print func(*cli.App, *Screen)) {
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

// firstColumn is what stands before the text of a line: a name and the gap behind it, or a gap alone.
var firstColumn = regexp.MustCompile(`^ *(?:[^ ]+(?: [^ ]+)*)?  +`)

// foldLine returns the lines of a line that may exceed a width.
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
