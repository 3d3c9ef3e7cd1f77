package main

import (
	"fmt"
	"io"
	"strings"
)

func writeDump(out io.Writer, data []byte) error {
	return annotate(data, func(l line) { fmt.Fprintln(out, formatLine(l)) })
}

func formatLine(l line) string {
	hex := fmt.Sprintf("% x", l.Bytes)
	switch {
	case len(l.Bytes) == 0:
		return "# " + l.Text
	case l.Zeros:
		hex = fmt.Sprintf("00 * %d", len(l.Bytes))
	}
	return strings.TrimRight(fmt.Sprintf("%06x  %-23s  %s", l.Offset, hex, l.Text), " ")
}
