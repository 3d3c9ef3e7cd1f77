package app

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/escape"
)

// A Loss counts how much of one kind a conversion lost.
type Loss struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Line  int    `json:"line,omitempty"` // of the first occurrence
}

// LossesOf returns the losses of an importer or exporter, an empty list for
// none.
func LossesOf(list codec.Losses) []Loss {
	all := []Loss{}
	for _, l := range list {
		all = append(all, Loss{string(l.What), l.Count, l.Line})
	}
	return all
}

// PrintLosses prints one line for each loss.
func PrintLosses(w io.Writer, lost []Loss) {
	for _, l := range lost {
		fmt.Fprintf(w, "lost   %d %s", l.Count, escape.Printable(l.What))
		if l.Line > 0 {
			fmt.Fprintf(w, " (first in line %d)", l.Line)
		}
		fmt.Fprintln(w)
	}
}
