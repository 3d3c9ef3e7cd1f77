package main

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/internal/formats/hotspot"
)

// A loss is something of which so many did not get from one side to the other.
type loss struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Line  int    `json:"line,omitempty"` // where it happened first
}

func textLosses(r *hotspot.TextReport) []loss { return losses(r.Lost) }

func losses(all []hotspot.Lost) []loss {
	lost := []loss{}
	for _, l := range all {
		lost = append(lost, loss{string(l.What), l.Count, l.Line})
	}
	return lost
}

func printLosses(w io.Writer, lost []loss) {
	for _, l := range lost {
		fmt.Fprintf(w, "lost   %d %s", l.Count, l.What)
		if l.Line > 0 {
			fmt.Fprintf(w, " (first in line %d)", l.Line)
		}
		fmt.Fprintln(w)
	}
}
