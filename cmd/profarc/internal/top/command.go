// Package top implements the command top, which lists the hottest methods, polluted sites, and reasons for
// deoptimization.
package top

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type topOptions struct {
	n      int
	by     string
	filter methods.Filter
	min    uint64
	json   bool
	screen terminal.Options
}

// otherMeasures are the values of --by that are no measures of package analyze.
var otherMeasures = []string{string(facts.Samples), facts.ByAllocated, facts.ByPollution, facts.ByDeoptimised}

func commandHelp() string {
	return `Top lists the methods with the highest sums over their profiles:

` + methods.MeasuresText() + `
` + methods.MeasureLine(string(facts.Samples), "sampled programs, GraalVM: samples taken in the method itself, and in all that it called") + `
` + methods.MeasureLine(facts.ByAllocated, "LLVM: bytes that the function allocated itself, and with all that it called") + `

Without --by it ranks by weight, by the function counts of LLVM's profiles, by a JamaicaVM's bytecodes,
by samples or allocated bytes if there is nothing else, and by counts if the archive has no invocations.
Methods without any did not run, or ran uncounted, which the profile does not distinguish. In sampled
programs they are only on stacks. --class, --method and --min select methods, as in show; --min of samples and
allocated bytes includes those in called methods. Functions of a memory profile without a name in the
archive are listed by LLVM's ids, if no flag selects methods.
Shares are of the whole archive, or of the total of the run if the profile records one and lacks some
methods. A JamaicaVM's cycles include those of called methods and are never added up: their shares are
of the cycles of all threads or, if these were not recorded, of the highest. A name that the profile
cut off may stand for several methods: each has a line.

A HotSpot JVM counts until C2 has compiled a method; code of C2 counts nothing. So methods of level 4
ran more often than they show, and often by far. The level is the highest at which a method was
compiled (0 interpreter, 1 to 3 C1, 4 C2). Counts and invocations are no measure of time there.

` + pollutionText + `

--by deoptimised lists why compiled code was left: the reason as the VM names it, how often, at which points,
and what would cure it. HotSpot counts at most 255 of a reason in a method, and notes one reason at a point.

` + terminal.Help + ` On a terminal each row has a bar, too: its length is the value's share of the
highest one.`
}

func Command(a *cli.App) *cobra.Command {
	var o topOptions
	cmd := &cobra.Command{
		Use:   "top ARCHIVE",
		Short: "List the hottest methods, with their shares, or polluted sites",
		Long:  commandHelp(),
		Example: `  profarc top app.parc
  profarc top app.parc -n 5 --by backedges
  profarc top app.parc --class 'java.util.*' --by counts --min 1000
  profarc top native.parc --by samples
  profarc top app.parc --by allocated
  profarc top app.parc --by pollution
  profarc top app.parc --by deoptimised --class 'com.example.*'
  profarc top app.parc -n 500 --color always | less -R
  profarc top app.parc --by size --json | jq -r '.methods[].method'`,
		Args:              cli.Args(1, 1, "one archive"),
		ValidArgsFunction: cli.CompleteArchives(1),
		RunE:              a.Run(func(ctx context.Context, args []string) error { return runCommand(ctx, a, args[0], o) }),
	}
	f := cmd.Flags()
	names := append(methods.MeasureNames(), otherMeasures...)
	f.IntVarP(&o.n, "number", "n", 20, "methods, sites or reasons to list")
	f.StringVar(&o.by, "by", "", "what to rank by: "+strings.Join(names, ", "))
	o.filter.AddFlags(f)
	o.filter.AddFunctionFlag(f)
	f.Uint64Var(&o.min, "min", 0, "least sum of a method, or count of a site or reason")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.screen.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runCommand(ctx context.Context, a *cli.App, path string, o topOptions) error {
	if o.n < 1 {
		return cli.Usagef("-n %d: list at least one method", o.n)
	}
	var by *analyze.Measure
	if !slices.Contains(otherMeasures, o.by) {
		var err error
		by, err = methods.ChosenMeasure(o.by, otherMeasures...)
		if err != nil {
			return err
		}
	}
	return a.WithStore(ctx, path, func(s *reader.Store) error {
		if err := o.filter.CheckMatches(s); err != nil {
			return err
		}
		return o.screen.Run(a, func(p *terminal.Screen) error {
			p.Domain = s.Header().Domain
			return rankBy(ctx, &printer{a, p}, s, o, by)
		})
	})
}

// rankBy ranks by a measure, or by one of otherMeasures. If both are unset, the archive decides.
func rankBy(ctx context.Context, p *printer, s *reader.Store, o topOptions, by *analyze.Measure) error {
	rank := analyze.RankOptions{Limit: o.n, Min: o.min, Methods: o.filter.KeyFilter(s.Header().Domain)}
	switch {
	case o.by == facts.ByPollution:
		r, err := facts.MostPolluted(ctx, s, rank)
		return printReport(p, r, err, o.json, p.printPollution)
	case o.by == facts.ByDeoptimised:
		r, err := facts.MostDeoptimised(ctx, s, rank)
		return printReport(p, r, err, o.json, p.printDeoptimised)
	case o.by == string(facts.Samples) || by == nil && facts.SamplesOnly(s), sampledTime(s, o.by):
		unit := facts.SampleUnit(o.by)
		err := error(nil)
		if o.by == "" {
			unit, err = facts.UnitOfSamples(s)
		}
		if err != nil {
			return err
		}
		r, err := facts.MostSampled(ctx, s, unit, rank)
		return printReport(p, r, err, o.json, p.printSamples)
	case o.by == facts.ByAllocated || by == nil && facts.AllocationsOnly(s):
		r, err := facts.MostAllocated(ctx, s, rank)
		return printReport(p, r, err, o.json, p.printAllocated)
	}
	r, err := analyze.Hottest(ctx, s, by, rank)
	return printReport(p, r, err, o.json, p.printTop)
}

func sampledTime(s *reader.Store, by string) bool {
	return by == string(facts.Nanoseconds) && s.Header().Domain == layout.DomainSampled
}

func printReport[R any](p *printer, r R, err error, json bool, printText func(R)) error {
	switch {
	case err != nil:
		return err
	case json:
		return p.PrintJSON(r)
	}
	printText(r)
	return nil
}
