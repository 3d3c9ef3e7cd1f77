// Package formatadvice has the advice of commands about errors and losses of formats.
package formatadvice

import (
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/merge"
)

// PrintMethodData explains how to record profiles of a JVM if its memory cannot be read.
const PrintMethodData = "run the program with java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData"

// Errors lists remedies for errors of importing and merging, by the sentinel that they match.
var Errors = cli.Advice{
	{hotspot.ErrNoMethodData,
		PrintMethodData + " (in this order), let it exit by itself, and keep all of its standard output"},
	{hotspot.ErrTextCut,
		"let the program exit by itself, since SIGKILL or a full disk loses the rest, and keep its whole output; " +
			"to have what is whole, import it with --salvage"},
	{merge.ErrCounted,
		"if it is of another run that counted just the same, give one of the two the weight 2 (NAME.parc:2), " +
			"or import that run again with a --run of its own"},
	{iprof.ErrSalvageable, "to have what is whole, import it with --salvage"},
	{llvm.ErrCorrelated, "name the program that wrote it, by --debug-info if it was built with " +
		"-profile-correlate=debug-info, else by --binary"},
	{parse.ErrExpansion, "if it is meant to, say how many times with --max-expansion, or decompress it first"},
	{text.ErrOrder, "leave it out with --unordered"},
}

var lossFlags = map[codec.LossKind]string{
	hotspot.LossContents: "profarc train, and profarc dump of the running process",
	llvm.LossBinaryIDs:   "--profdata-version",
	llvm.LossTraces:      "--profdata-version",
	llvm.LossBitmaps:     "--profdata-version",
	llvm.LossVTableSites: "--profdata-version",
	llvm.LossVTableNames: "--keep-vtable-symbols and --profdata-version",
	llvm.LossTextVTables: "--keep-vtable-symbols",
}

// harmlessLosses describes losses that no reader of the format misses.
var harmlessLosses = map[codec.LossKind]string{
	"counts that gopgo does not hold": "go build reads the weights of calls, not the counts of stacks",
	llvm.LossBinaryIDs:                string(llvm.LossBinaryIDs) + ", and compilers do not read them",
	llvm.LossTextBinaryIDs:            string(llvm.LossTextBinaryIDs) + ", and compilers do not read them",
}

func PrintLosses(w io.Writer, lost codec.Losses) {
	for _, l := range lost {
		word, what := "lost", string(l.What)
		if note := harmlessLosses[l.What]; note != "" {
			word, what = "note", note
		}
		if l.Count > 0 || l.Unit == "" {
			what = fmt.Sprint(l.Count, " ", what)
		}
		fmt.Fprintf(w, "%s   %s", word, escape.Printable(what))
		if l.Unit != "" {
			fmt.Fprintf(w, ": %s %s", cli.Grouped(l.Amount), escape.Printable(l.Unit))
		}
		if l.Line > 0 {
			fmt.Fprintf(w, " (first in line %d)", l.Line)
		}
		if flags := lossFlags[l.What]; flags != "" {
			fmt.Fprintf(w, ": see %s", flags)
		}
		fmt.Fprintln(w)
		for _, first := range l.First {
			fmt.Fprintf(w, "         %s\n", escape.Printable(first))
		}
	}
}
