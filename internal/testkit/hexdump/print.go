package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/profarc/profarc/internal/testkit/annotate"
)

// print writes the dump of an archive.
func print(out io.Writer, data []byte) error {
	return annotate.All(data, func(l annotate.Line) { fmt.Fprintln(out, lineText(l)) })
}

// lineText returns a line as it is printed.
func lineText(l annotate.Line) string {
	hex := fmt.Sprintf("% x", l.Bytes)
	switch {
	case len(l.Bytes) == 0:
		return "# " + l.Text
	case l.Zeros:
		hex = fmt.Sprintf("00 * %d", len(l.Bytes))
	}
	return strings.TrimRight(fmt.Sprintf("%06x  %-23s  %s", l.Offset, hex, l.Text), " ")
}
