package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/formatadvice"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
	"github.com/profarc/profarc/internal/ledger"
)

// advice lists remedies for errors, by the sentinel that they match. The first match applies. Package cli lists
// remedies for errors about files and archives.
var advice = slices.Concat(formatadvice.Errors, cli.Advice{
	{live.ErrUnsupported, formatadvice.PrintMethodData + ", and import what it prints"},
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
	{compare.ErrDomains, "name archives of one domain and one type of samples"},
	{training.ErrUnsupported, formatadvice.PrintMethodData + ", and import what it prints"},
	{training.ErrPermission, "if this runs under a debugger, strace or another training run, run it outside; " +
		"if /proc/sys/kernel/yama/ptrace_scope is 3, tracing is forbidden to all; " +
		"in a container add --cap-add=SYS_PTRACE"},
})

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
