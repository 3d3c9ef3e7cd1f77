package main

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
)

// A loss is something of which so many did not get from one side to the other.
type loss struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Line  int    `json:"line,omitempty"` // where it happened first
}

// losses are what an importer or exporter has lost.
func losses(list codec.Losses) []loss {
	all := []loss{}
	for _, l := range list {
		all = append(all, loss{string(l.What), l.Count, l.Line})
	}
	return all
}

func printLosses(w io.Writer, lost []loss) {
	for _, l := range lost {
		fmt.Fprintf(w, "lost   %d %s", l.Count, printable(l.What))
		if l.Line > 0 {
			fmt.Fprintf(w, " (first in line %d)", l.Line)
		}
		fmt.Fprintln(w)
	}
}
