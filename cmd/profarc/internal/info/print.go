package info

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"text/template"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
)

func printRuns(a *cli.App, f *facts.RunFacts) {
	if len(f.Runs) == 0 {
		return
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	common := commonFacts(f)
	for i, text := range textsOfRun(&common) {
		if *text != "" {
			fmt.Fprintf(w, "%s\t%s\n", runTexts[i], escape.Printable(cli.Shorten(*text, maxRunText)))
		}
	}
	if common.ClassPath != nil {
		printClassPath(f, w, f.ClassPaths[*common.ClassPath])
	}
	if len(f.Runs) == 1 {
		fmt.Fprintf(w, "run\t%s\n", runText(&common))
		w.Flush()
		fmt.Fprintln(a.Out)
		return
	}
	fmt.Fprintf(w, "runs\t%d\n", f.NumRuns)
	for i := range f.Runs[:min(len(f.Runs), maxRunLines)] {
		fmt.Fprintf(w, "\t%s\n", runLine(&f.Runs[i], &common))
	}
	if more := f.NumRuns - maxRunLines; more > 0 {
		fmt.Fprintf(w, "\tand %d more: profarc show --table runs lists all\n", more)
	}
	w.Flush()
	fmt.Fprintln(a.Out)
}

// Limits of the output. The tables have the rest.
const (
	maxRunText        = 400
	maxCommand        = 60 // characters of a command in a list of runs
	maxRunLines       = 20
	maxClassPathLines = 20
)

// runTexts names the texts that textsOfRun returns.
var runTexts = []string{"main", "VM", "vendor", "command", "options", "selection"}

func textsOfRun(r *facts.RunFact) []*string {
	return []*string{&r.Main, &r.VM, &r.Vendor, &r.Command, &r.Options, &r.Selection}
}

func commonFacts(f *facts.RunFacts) facts.RunFact {
	c := f.Runs[0]
	for _, r := range f.Runs[1:] {
		own := textsOfRun(&r)
		for i, text := range textsOfRun(&c) {
			if *text != *own[i] {
				*text = ""
			}
		}
		if r.ClassPath == nil || c.ClassPath != nil && *r.ClassPath != *c.ClassPath {
			c.ClassPath = nil
		}
	}
	return c
}

func runText(r *facts.RunFact) string {
	var parts []string
	if r.Process != nil {
		parts = append(parts, fmt.Sprintf("process %d", r.Process.PID))
	}
	if r.Begun != "" {
		parts = append(parts, "begun "+r.Begun)
	}
	if r.Time != "" {
		parts = append(parts, "dumped "+r.Time)
	}
	if r.Since != "" {
		parts = append(parts, "counted since "+r.Since)
	}
	return strings.Join(append(parts, r.Exit), ", ")
}

func runLine(r *facts.RunFact, common *facts.RunFact) string {
	text := runText(r)
	if common.Main == "" && r.Main != "" {
		text += ", main " + escape.Printable(cli.Shorten(r.Main, maxCommand))
	}
	if common.Command == "" && r.Command != "" {
		text += ", " + escape.Printable(cli.Shorten(r.Command, maxCommand))
	}
	return text
}

func printClassPath(f *facts.RunFacts, w *tabwriter.Writer, entries []facts.ClassPathFact) {
	name := "class path"
	for _, e := range entries[:min(len(entries), maxClassPathLines)] {
		what := e.Kind
		if e.Sum != "" {
			what = fmt.Sprintf("%s, %s, sum %s", e.Kind, cli.FormatSize(int64(min(e.Size, 1<<62))), e.Sum)
		}
		fmt.Fprintf(w, "%s\t%s (%s)\n", name, escape.Printable(cli.Shorten(e.Path, maxRunText)), what)
		name = ""
	}
	if more := len(entries) - maxClassPathLines; more > 0 {
		fmt.Fprintf(w, "\tand %d more: profarc show --table class-path lists all\n", more)
	}
}

func printSummary(a *cli.App, screen *terminal.Screen, r *facts.Summary, d layout.Domain) {
	for i := range r.Units {
		printUnit(a, screen, &r.Units[i], d)
	}
	if r.Without > 0 {
		fmt.Fprintf(a.Out, "\n%s without any: %s\n", cli.Amount(int(r.Without), display.InTermsOf(d, "method")),
			facts.WithoutText(d))
	}
	for _, u := range r.Undecoded {
		fmt.Fprintf(a.Out, "\nnot decoded\n  %s raw from an entry of HotSpot's tag %d on, which was not known: not adopted\n",
			cli.Amount(u.Profiles, "profile"), u.Tag)
	}
	if len(r.Units) < 2 {
		return
	}
	fmt.Fprintf(a.Out, "\nreduce --hot, over all units of %d methods\n", r.Methods)
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "share\tmethods\t\n")
	for _, c := range r.Cutoffs {
		fmt.Fprintf(w, "%s\t%d\t\n", cutoffText(c.Percent), c.Methods)
	}
	w.Flush()
}

func cutoffText(percent float64) string { return strconv.FormatFloat(percent, 'f', -1, 64) + "%" }

func printUnit(a *cli.App, screen *terminal.Screen, r *facts.UnitSummary, d layout.Domain) {
	if d.LLVM() {
		r.Unit = "blocks"
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	if r.Inclusive {
		fmt.Fprintf(a.Out,
			"\nsummary of %d methods with %s, which include those of called methods: a share takes each with the rest of the "+
				"highest\n", r.Methods, r.Unit)
		fmt.Fprint(w, "share\tmethods\tlowest\t\n")
	} else {
		fmt.Fprintf(a.Out, "\nsummary of %d methods and %d %s\n", r.Methods, r.Counts, countsText(r))
		fmt.Fprintf(w, "share\tmethods\tlowest %s\t%s\tlowest\t\n", weightText(r), countsText(r))
	}
	for _, c := range r.Cutoffs {
		fmt.Fprintf(w, "%s\t%s\t%s\t", cutoffText(c.Percent), screen.FormatCount(uint64(c.Methods)),
			screen.FormatCount(uint64(c.MinWeight)))
		if !r.Inclusive {
			fmt.Fprintf(w, "%s\t%s\t", screen.FormatCount(uint64(c.Counts)), screen.FormatCount(uint64(c.MinCount)))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// weightText returns the column name for a method's total in a unit. For counts it is "weight", because it includes the
// method's invocations.
func weightText(r *facts.UnitSummary) string {
	if r.Unit == "counts" {
		return "weight"
	}
	return "sum"
}

func countsText(r *facts.UnitSummary) string {
	if r.Unit == "counts" || r.Unit == "blocks" {
		return r.Unit
	}
	return "counts of " + r.Unit
}

//go:embed losses.txt
var lossesText string

func printLosses(out io.Writer, f *facts.AccountFact) {
	if f == nil {
		fmt.Fprintln(out, "The archive has no account: it was not imported, or by a release before accounts.")
		return
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	app.PrintReport(w, lossesText, f, template.FuncMap{
		"join":          strings.Join,
		"trim":          strings.TrimSpace,
		"lines":         func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") },
		"grouped":       cli.Grouped,
		"totals":        facts.TotalsText,
		"amountOfTotal": facts.AmountOfTotal,
	})
	w.Flush()
}
