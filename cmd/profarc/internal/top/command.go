// Package top implements the command top, which lists the hottest methods, polluted sites, and reasons for
// deoptimization.
package top

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type topOptions struct {
	n      int
	by     string
	filter methods.Filter
	min    uint64
	screen terminal.Options
}

var otherMeasures = []string{string(facts.Samples), facts.ByAllocated, facts.ByPollution, facts.ByDeoptimised}

//go:embed help.txt
var helpText string

func Command(a *cli.App) *cobra.Command {
	var o topOptions
	cmd := a.NewCommand(helpText, cli.Args(1, 1, "one archive"),
		func(ctx context.Context, args []string) error { return runCommand(ctx, a, args[0], o) },
		"{measures}", methods.DescribeMeasures(), "{names}", terminal.Help)
	cmd.ValidArgsFunction = cli.CompleteArchives(1, cli.ProfileExtensions...)
	f := cmd.Flags()
	names := append(methods.MeasureNames(), otherMeasures...)
	f.IntVarP(&o.n, "number", "n", 20, "methods, sites or reasons to list")
	f.StringVar(&o.by, "by", "", "what to rank by: "+strings.Join(names, ", "))
	o.filter.AddFlags(f)
	f.Uint64Var(&o.min, "min", 0, "least sum of a method, or count of a site or reason")
	a.AddJSONFlag(cmd)
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

func rankBy(ctx context.Context, p *printer, s *reader.Store, o topOptions, by *analyze.Measure) error {
	rank := analyze.RankOptions{Limit: o.n, Min: o.min, Methods: o.filter.KeyFilter(s.Header().Domain)}
	switch {
	case o.by == facts.ByPollution:
		r, err := facts.MostPolluted(ctx, s, rank)
		return printReport(p, r, err, p.printPollution)
	case o.by == facts.ByDeoptimised:
		r, err := facts.MostDeoptimised(ctx, s, rank)
		return printReport(p, r, err, p.printDeoptimised)
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
		return printReport(p, r, err, p.printSamples)
	case o.by == facts.ByAllocated || by == nil && facts.AllocationsOnly(s):
		r, err := facts.MostAllocated(ctx, s, rank)
		return printReport(p, r, err, p.printAllocated)
	}
	r, err := analyze.Hottest(ctx, s, by, rank)
	return printReport(p, r, err, p.printTop)
}

func sampledTime(s *reader.Store, by string) bool {
	return by == string(facts.Nanoseconds) && s.Header().Domain == layout.DomainSampled
}

func printReport[R any](p *printer, r R, err error, printText func(R)) error {
	if err != nil {
		return err
	}
	return p.Print(r, func() { printText(r) })
}

// c2 is the compilation level of C2, whose code does not count.
const c2 = 4

type printer struct {
	*cli.App
	screen *terminal.Screen
}

func (p *printer) printTop(r *analyze.TopReport) {
	t := terminal.NewTable(p.screen, p.Out)
	levels := slices.ContainsFunc(r.Methods, func(m analyze.TopMethod) bool { return m.Level != nil })
	summed := r.AddsUp
	column := func(shown bool, text string) []string {
		if !shown {
			return nil
		}
		return []string{text}
	}
	t.AddHeader(slices.Concat(column(levels, "level"), []string{r.By, "share"}, column(summed, "sum")),
		p.screen.InTerms("method"))
	for _, m := range r.Methods {
		cells := slices.Concat(column(levels, levelText(&m)), []string{p.screen.FormatCount(m.Value),
			fmt.Sprintf("%.1f%%", 100*m.Share)}, column(summed, cumulativeText(&m)))
		note := cli.Note(m.Cut, "cut off") + cli.Note(m.Moved > 0, cli.Amount(m.Moved, "point")+" moved")
		t.AddRow(cells, m.Value, p.screen.MethodText(m.MethodName), note)
	}
	t.Print()
	fmt.Fprintf(p.Out, p.screen.InTerms("\n%d of %d methods with any, %s\n"), len(r.Methods), r.Of, p.totalText(r))
	if r.Without > 0 && r.Total > 0 {
		fmt.Fprintf(p.Out, "%s of the archive without any\n", cli.Amount(r.Without, p.screen.InTerms("method")))
	}
	if levels && anyCompiledByC2(r) {
		fmt.Fprintln(p.Out, "level 4: C2 compiled it and counts no more, so that it ran more often than this")
	}
	if r.Total == 0 {
		fmt.Fprintf(p.ErrOut,
			"profarc: nothing in %s counts %s: leave out --by, so that top takes a measure that it counts\n",
			escape.Printable(r.Archive), r.By)
	}
}

func levelText(m *analyze.TopMethod) string {
	if m.Level == nil {
		return "-"
	}
	return fmt.Sprint(*m.Level)
}

func cumulativeText(m *analyze.TopMethod) string {
	if m.Sum == nil {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100**m.Sum)
}

func anyCompiledByC2(r *analyze.TopReport) bool {
	counted := slices.Contains([]string{"weight", "invocations", "backedges", "counts", "calls"}, r.By)
	return counted && slices.ContainsFunc(r.Methods,
		func(m analyze.TopMethod) bool { return m.Level != nil && *m.Level >= c2 })
}

func (p *printer) totalText(r *analyze.TopReport) string {
	switch {
	case r.Total == 0:
		return "0 in total"
	case r.ShareOf == "run":
		return fmt.Sprintf("%s in the run at least, %s of them in the archive", p.screen.FormatCount(r.Total),
			p.screen.FormatCount(r.ArchiveTotal))
	case r.ShareOf == "threads":
		return fmt.Sprintf("shares are of the %s of all threads: each has those of the methods that it calls",
			p.screen.FormatCount(r.Total))
	case r.ShareOf == "highest":
		return "shares are of the highest: each has those of the methods that it calls"
	}
	return fmt.Sprintf("%s in total", p.screen.FormatCount(r.Total))
}

func (p *printer) printSamples(r *facts.SampleReport) {
	p.printStacked(r.Methods, func(n uint64) string { return r.By.Short(n, p.screen.FormatCount) })
	fmt.Fprintf(p.Out, "\n%d of %s with any, %s of %s\n", len(r.Methods), cli.Amount(r.Of, "method"),
		r.By.Text(r.Total, p.screen.FormatCount), cli.Amount(r.Stacks, "stack"))
}

func (p *printer) printAllocated(r *facts.AllocationReport) {
	p.printStacked(r.Methods, sizeText)
	fmt.Fprintf(p.Out, "\n%d of %s with any, %s in %s of %s\n", len(r.Methods), cli.Amount(r.Of, "function"),
		sizeText(r.Total), cli.Amount(r.Allocations, "allocation"), cli.Amount(r.Stacks, "stack"))
	if r.Stacks == 0 {
		fmt.Fprintf(p.ErrOut, "profarc: %s has no memory profile: leave out --by, so that top takes a measure that it has\n",
			escape.Printable(r.Archive))
	}
}

func sizeText(n uint64) string { return cli.FormatSize(int64(min(n, math.MaxInt64))) }

func (p *printer) printStacked(methods []facts.StackedMethod, text func(uint64) string) {
	t := terminal.NewTable(p.screen, p.Out)
	t.AddHeader([]string{"self", "share", "total", "share"}, "method")
	for _, m := range methods {
		cells := []string{text(m.Self), fmt.Sprintf("%.1f%%", 100*m.SelfShare), text(m.Total),
			fmt.Sprintf("%.1f%%", 100*m.TotalShare)}
		t.AddRow(cells, m.Self, p.screen.MethodText(m.MethodName), "")
	}
	t.Print()
}

func (p *printer) printPollution(r *facts.PollutionReport) {
	t := terminal.NewTable(p.screen, p.Out)
	t.AddHeader([]string{"count", "best", "split"}, "site")
	doubts := 0
	for _, s := range r.Sites {
		if s.Doubt() != facts.DoubtNone {
			doubts++
		}
		best := fmt.Sprintf("%.1f%%", 100*s.Best)
		if s.Kind == analyze.SiteNull {
			best = "-"
		}
		answer := string(s.Split)
		if s.Split == facts.SplitPartly {
			answer = cli.FormatShare(s.Cured, 2)
		}
		site := fmt.Sprintf("%s at %s %d of %s", s.Kind, display.PointWord(p.screen.Domain), s.Point,
			p.screen.MethodText(s.MethodName))
		t.AddRow([]string{p.screen.FormatCount(s.Count), best, answer}, s.Count, site, p.siteNote(&s))
	}
	t.Print()
	fmt.Fprintf(p.Out, "\n%d of %d polluted sites\n", len(r.Sites), r.Of)
	if doubts > 0 {
		fmt.Fprintf(p.Out,
			"%s with more of other types than of the likeliest recorded one: one of the others may be likelier, and above "+
				"90%% (see --help)\n", cli.Amount(doubts, "site"))
	}
}

func (p *printer) siteNote(s *facts.PollutedSite) (note string) {
	if len(s.Seen) > 0 {
		note = ": " + p.rowsText(slices.Concat(s.Seen, s.RestRows()), s.Count)
	}
	if len(s.Certain) > 0 {
		note += "; certain in some runs: " + p.rowsText(s.Certain, s.Count)
	}
	return note
}

func (p *printer) rowsText(rows []facts.SeenRow, count uint64) string {
	return lists.Join(rows, ", ", func(row facts.SeenRow) string {
		return fmt.Sprintf("%s %.2f", p.screen.Spelling.Target(p.screen.Domain, row.What), cli.Share(row.Count, count))
	})
}

func (p *printer) printDeoptimised(r *facts.DeoptimisedReport) {
	t := terminal.NewTable(p.screen, p.Out)
	t.AddHeader([]string{"count", "reason"}, "method")
	for _, d := range r.Reasons {
		count := "-" // noted at points alone
		if d.Count > 0 {
			count = p.screen.FormatCount(d.Count)
		}
		t.AddRow([]string{count, d.Reason}, d.Count, p.screen.MethodText(d.MethodName),
			deoptimisedNote(p.screen.Domain, &d))
	}
	t.Print()
	fmt.Fprintf(p.Out, "\n%d of %s, %s counted\n", len(r.Reasons), cli.Amount(r.Of, "reason"),
		cli.Amount(r.Total, "deoptimisation"))
	known := map[string]bool{}
	for _, d := range r.Reasons {
		if d.Cure != "" && !known[d.Reason] {
			known[d.Reason] = true
			fmt.Fprintf(p.Out, "%s: %s\n", d.Reason, d.Cure)
		}
	}
}

func deoptimisedNote(domain layout.Domain, d *facts.Deoptimised) string {
	var parts []string
	for _, at := range d.Points[:min(len(d.Points), 4)] {
		parts = append(parts, fmt.Sprintf("%d %s%s", at.Point, at.Kind, cli.Note(at.Recompiled, "recompiled")))
	}
	if len(parts) < len(d.Points) {
		parts = append(parts, fmt.Sprintf("%d more", len(d.Points)-len(parts)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(" at %s %s", display.PointWord(domain), strings.Join(parts, ", "))
}
