package app

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/escape"
)

// PrintLosses prints a line for each kind of what was lost.
func PrintLosses(w io.Writer, lost codec.Losses) {
	for _, l := range lost {
		fmt.Fprintf(w, "lost   %d %s", l.Count, escape.Printable(string(l.What)))
		if l.Line > 0 {
			fmt.Fprintf(w, " (first in line %d)", l.Line)
		}
		fmt.Fprintln(w)
	}
}
