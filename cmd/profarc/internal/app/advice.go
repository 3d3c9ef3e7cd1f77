package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/watch/watcher"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/merge"
)

// printMethodData explains how to record profiles of a JVM if its memory cannot be read.
const printMethodData = "run the program with java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData"

// advice lists remedies for errors, by the sentinel that they match. The first match applies. Package cli lists
// remedies for errors about files and archives.
var advice = cli.Advice{
	{hotspot.ErrNoMethodData,
		printMethodData + " (in this order), let it exit by itself, and keep all of its standard output"},
	{hotspot.ErrTextCut,
		"let the program exit by itself, since SIGKILL or a full disk loses the rest, and keep its whole output; " +
			"to have what is whole, import it with --salvage"},
	{live.ErrUnsupported, printMethodData + ", and import what it prints"},
	{live.ErrNoProcess, "find the JVM's with jps, and name it as this side of a container sees it"},
	{live.ErrZombie, "dump it earlier, or run it under profarc train"},
	{live.ErrGone, "dump it earlier, or start it again"},
	{live.ErrPermission, "run as its user or as root; " +
		"if /proc/sys/kernel/yama/ptrace_scope is 1 or more, as root or with CAP_SYS_PTRACE; " +
		"in a container add --cap-add=SYS_PTRACE"},
	{live.ErrTraced, "a process has one tracer at most, so that no other can hold it: " +
		"wait for the tracer's end, then try again, or read the process without holding it (--running)"},
	{live.ErrOpenJ9, "run the program on HotSpot"},
	{live.ErrNotHotSpot, "name the process of java itself, as jps shows it, or wait until it has started; " +
		"GraalVM's native images keep their profiles in .iprof files"},
	{live.ErrNoTables, "run the program on JDK 17 to 25 with the server or client VM, or wait until it has started"},
	{live.ErrStructure, "wait until it has started, then dump it again"},
	{live.ErrAdopted,
		"start the JVM with the agent of this version of profarc; dump --with-adopted takes what the JVM has as it is, to " +
			"be looked at"},
	{live.ErrBudget, "name the process of java itself, as jps shows it, or dump it again"},
	{merge.ErrCounted,
		"if it is of another run that counted just the same, give one of the two the weight 2 (NAME.parc:2), " +
			"or import that run again with a --run of its own"},
	{iprof.ErrSalvageable, "to have what is whole, import it with --salvage"},
	{llvm.ErrCorrelated, "name the program that wrote it, by --debug-info if it was built with " +
		"-profile-correlate=debug-info, else by --binary"},
	{parse.ErrExpansion, "if it is meant to, say how many times with --max-expansion, or decompress it first"},
	{text.ErrOrder, "leave it out with --unordered"},
	{compare.ErrDomains, "name archives of one domain and one type of samples"},
	{watcher.ErrChanged,
		"LLVM_PROFILE_FILE=NAME-%p.profraw names a file for each run; --remove lets watch take files away once they are " +
			"merged"},
	{watcher.ErrUnsupported, "sum the files with profarc import, and archives with profarc merge"},
	{watcher.ErrLarge, "raise it with --max-file"},
	{training.ErrUnsupported, printMethodData + ", and import what it prints"},
	{training.ErrPermission, "if this runs under a debugger, strace or another training run, run it outside; " +
		"if /proc/sys/kernel/yama/ptrace_scope is 3, tracing is forbidden to all; " +
		"in a container add --cap-add=SYS_PTRACE"},
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

func PrintLosses(w io.Writer, lost codec.Losses) {
	for _, l := range lost {
		if l.Count > 0 || l.Unit == "" {
			fmt.Fprintf(w, "lost   %d %s", l.Count, escape.Printable(string(l.What)))
		} else {
			fmt.Fprintf(w, "lost   %s", escape.Printable(string(l.What)))
		}
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

// An unaccountedError is a difference between an archive and its inputs that has no reason.
type unaccountedError []ledger.Difference

// RefuseUnaccounted returns an error if an archive differs from its inputs without a reason. The archive is written by
// then.
func RefuseUnaccounted(all []ledger.Difference) error {
	if len(all) == 0 {
		return nil
	}
	return unaccountedError(all)
}

func RefuseUnaccountedLosses(lost codec.Losses) error {
	var all []ledger.Difference
	for _, l := range lost {
		if l.What == ledger.ReasonUnaccounted {
			all = append(all, ledger.Difference{Unit: l.Unit, Amount: l.Amount})
		}
	}
	return RefuseUnaccounted(all)
}

// Error returns, for example, "unaccounted: 12 samples lost".
func (e unaccountedError) Error() string {
	var parts []string
	for _, d := range e {
		what := "lost"
		if d.Gained {
			what = "added"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", cli.Grouped(d.Amount), d.Unit, what))
	}
	return "unaccounted: " + strings.Join(parts, ", ") + ": this is a defect of profarc; report it with the input"
}

// HasAdvice reports true; see layout.Error.
func (unaccountedError) HasAdvice() bool { return true }
