// Package diff implements the command diff, which compares two archives.
package diff

import (
	"context"
	_ "embed"
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

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o diffOptions
	cmd := a.NewCommand(helpText, cli.Args(2, 2, "two archives"), func(ctx context.Context, args []string) error {
		return runCommand(ctx, a, args[0], args[1], o)
	}, "{names}", terminal.Help)
	cmd.ValidArgsFunction = cli.CompleteArchives(2, cli.ProfileExtensions...)
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
	switch sampled := layout.DomainSampled; {
	case sa.Header().Domain.LLVM() && sb.Header().Domain == sampled:
		return o.printSampling(ctx, a, sa, sb)
	case sa.Header().Domain == sampled && sb.Header().Domain.LLVM():
		return o.printSampling(ctx, a, sb, sa)
	}
	r, err := report.CompareStores(ctx, sa, sb, compare.Options{Top: o.top, ContextSensitive: o.cs,
		Methods: o.filter.KeyFilter(sa.Header().Domain)})
	if err != nil {
		return err
	}
	err = o.screen.Print(a, sa.Header().Domain, r, func(screen *terminal.Screen) { printDiff(a, screen, r) })
	if err == nil && o.failBelow > 0 {
		err = lowScoreError(r, o.failBelow)
	}
	return err
}

func (o *diffOptions) printSampling(ctx context.Context, a *cli.App, instrumented, sampled *reader.Store) error {
	d := instrumented.Header().Domain
	r, err := compareSampling(ctx, instrumented, sampled, o.filter.KeyFilter(d))
	if err != nil {
		return err
	}
	err = o.screen.Print(a, d, r, func(screen *terminal.Screen) { r.print(a.Out, screen, o.top) })
	if err == nil && 1-r.MissedShare < o.failBelow {
		err = fmt.Errorf("%s has no samples of hot functions with %s of the counts, more than --fail-below allows",
			r.Sampled, cli.FormatPercent(r.MissedShare))
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
