package app

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/names/escape"
)

// lossFlags maps kinds of loss to the flags that prevent them.
var lossFlags = map[codec.LossKind]string{
	llvm.LossBinaryIDs:   "--profdata-version",
	llvm.LossTraces:      "--profdata-version",
	llvm.LossBitmaps:     "--profdata-version",
	llvm.LossVTableSites: "--profdata-version",
	llvm.LossVTableNames: "--keep-vtable-symbols and --profdata-version",
	llvm.LossTextVTables: "--keep-vtable-symbols",
}

// PrintLosses prints one line per kind of loss.
func PrintLosses(w io.Writer, lost codec.Losses) {
	for _, l := range lost {
		fmt.Fprintf(w, "lost   %d %s", l.Count, escape.Printable(string(l.What)))
		if l.Line > 0 {
			fmt.Fprintf(w, " (first in line %d)", l.Line)
		}
		if flags := lossFlags[l.What]; flags != "" {
			fmt.Fprintf(w, ": see %s", flags)
		}
		fmt.Fprintln(w)
	}
}
