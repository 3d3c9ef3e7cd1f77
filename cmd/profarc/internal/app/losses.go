package app

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/escape"
)

// A Loss is something of which so many did not get from one side to the other.
type Loss struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Line  int    `json:"line,omitempty"` // where it happened first
}

// LossesOf are what an importer or exporter has lost.
func LossesOf(list codec.Losses) []Loss {
	all := []Loss{}
	for _, l := range list {
		all = append(all, Loss{string(l.What), l.Count, l.Line})
	}
	return all
}

func PrintLosses(w io.Writer, lost []Loss) {
	for _, l := range lost {
		fmt.Fprintf(w, "lost   %d %s", l.Count, escape.Printable(l.What))
		if l.Line > 0 {
			fmt.Fprintf(w, " (first in line %d)", l.Line)
		}
		fmt.Fprintln(w)
	}
}
