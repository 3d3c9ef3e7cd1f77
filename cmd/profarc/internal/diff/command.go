// Package diff implements the command diff, which compares two archives.
package diff

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type diffOptions struct {
	top       int
	cs        bool
	failBelow float64
	filter    methods.Filter
	screen    terminal.Options
}

const commandHelp = `Diff compares archive B with A, the base. The score is the overlap of their counts: the sum over all
counts of the smaller of the two shares, 100% if all counts have the same proportions. For LLVM's
profiles it is what llvm-profdata overlap prints. If another kind of counts agrees less than the one
that is scored, the first line names it. A method of both archives is a mismatch if the profile in B
is of code that A does not have: other bytecodes, another function hash, or other counters and value
sites. Samples, monitors and other tables are not compared; a line gives their numbers in A and in B.
The lists, the heaviest first, are

  changed   methods of both, by their part of the missing overlap
  the same code in a hidden class of another name
            methods of lambdas and other hidden classes, which the VM numbers in each run: they are in
            neither of the two last lists, and their counts have no part in the overlap
  flipped   branches and switches that mostly went one way and now go another
  sites     calls, type checks and indirect calls that became polymorphic or monomorphic, or that
            mostly see another type or target
  no longer certain
            branches, switches and type checks that had one outcome in A, at least 40 times, and
            have several in B: a way that was never taken and now is, a check that never failed and
            now does, or that never saw null. The weight is the site's share of all counts, since
            every execution pays for the first other outcome
  certain in B alone
            the same the other way round
  came      methods that only B has, by their share of its counts
  went      methods that only A has

HotSpot does not record the type at a call whose target it knows, at a type check that fails (up to
JDK 21), and beyond another -XX:TypeProfileWidth. Counts without a type are in no sum of receivers,
and no site changes because of them.

The overlap of sampled archives has an interval of 95%, as 91.2% (88 to 94): chance lowers it. A method
whose difference the sampling error explains is marked, and has no colour. In JSON, "score_interval"
and "change" have "low" and "high", and "noise" is true.

The fields of --json are stable. Shares are from 0 to 1; "weight" and "difference" are shares of all
counts of an archive; "way" is "taken", "not taken", "default", "case index N" or a successor. "score" is
null if neither archive has counts. "others" is null for nulls, which are not counted, and "untyped"
counts values whose types were not recorded.

With --fail-below the exit code is 1 if the score is lower, for samples all of its interval, or if there
is none.

` + terminal.Help

func Command(a *cli.App) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two archives: overlap, and what changed most",
		Long:  commandHelp,
		Example: `  profarc diff old.parc new.parc
  profarc diff --top 50 --class 'com.example.*' old.parc new.parc
  profarc diff --fail-below 0.8 release.parc nightly.parc
  profarc diff --json old.parc new.parc | jq -r '.flipped.list[].method'`,
		Args:              cli.Args(2, 2, "two archives"),
		ValidArgsFunction: cli.CompleteArchives(2, cli.ProfileExtensions...),
		RunE: a.Run(func(ctx context.Context, args []string) error {
			return runCommand(ctx, a, args[0], args[1], o)
		}),
	}
	f := cmd.Flags()
	f.IntVarP(&o.top, "top", "n", 10, "entries of each list")
	a.AddJSONFlag(cmd)
	f.BoolVar(&o.cs, "cs", false, "compare LLVM's context-sensitive records instead of the others")
	f.Float64Var(&o.failBelow, "fail-below", 0, "exit with 1 if the score, from 0 to 1, is lower")
	o.filter.AddFlags(f)
	o.screen.AddFlags(cmd)
	return cmd
}

func (o *diffOptions) checkFlags() error {
	if o.top < 0 {
		return cli.Usagef("--top %d: it must not be negative", o.top)
	}
	return cli.CheckShare("--fail-below", o.failBelow)
}

func runCommand(ctx context.Context, a *cli.App, pathA, pathB string, o diffOptions) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	return a.WithStore(ctx, pathA, func(sa *reader.Store) error {
		return a.WithStore(ctx, pathB, func(sb *reader.Store) error { return compareStores(ctx, a, sa, sb, o) })
	})
}

func compareStores(ctx context.Context, a *cli.App, sa, sb *reader.Store, o diffOptions) error {
	if err := o.filter.CheckMatches(sa, sb); err != nil {
		return err
	}
	r, err := report.CompareStores(ctx, sa, sb, o.compared(sa.Header().Domain))
	if err != nil {
		return err
	}
	err = o.screen.Print(a, sa.Header().Domain, r, func(screen *terminal.Screen) { printDiff(a, screen, r) })
	if err == nil && o.failBelow > 0 {
		err = lowScoreError(r, o.failBelow)
	}
	return err
}

// lowScoreError returns the error of archives that agree by less than the share least, or that have no counts.
func lowScoreError(r *compare.Report, least float64) error {
	switch {
	case r.Score == nil && r.LeftOut > 0:
		return fmt.Errorf("%s and %s have no counts to compare: name archives of runs, or see profarc diff --help for --cs",
			r.A, r.B)
	case r.Score == nil:
		return fmt.Errorf("%s and %s have no counts to compare: name archives of runs that counted", r.A, r.B)
	case *r.Score < least && (r.ScoreInterval == nil || r.ScoreInterval.High < least):
		return fmt.Errorf("%s agrees with %s by %s, less than the %s of --fail-below", r.B, r.A, cli.FormatPercent(*r.Score),
			cli.FormatPercent(least))
	}
	return nil
}

func (o *diffOptions) compared(d layout.Domain) compare.Options {
	return compare.Options{Top: o.top, ContextSensitive: o.cs, Methods: o.filter.KeyFilter(d)}
}
