package info

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"text/template"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
)

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

func printSummary(a *cli.App, screen *terminal.Screen, r *facts.Summary, d layout.Domain) {
	app.PrintColumns(a.Out, tabwriter.AlignRight, summaryText, r, template.FuncMap{
		"count":   screen.CountText,
		"llvm":    d.LLVM,
		"method":  func() string { return display.InTermsOf(d, "method") },
		"without": func() string { return facts.WithoutText(d) },
	})
}

func printLosses(out io.Writer, f *facts.AccountFact) {
	if f == nil {
		fmt.Fprintln(out, "The archive has no account: it was not imported, or by a release before accounts.")
		return
	}
	app.PrintColumns(out, 0, lossesText, f, template.FuncMap{
		"trim":          strings.TrimSpace,
		"lines":         func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") },
		"grouped":       cli.Grouped,
		"totals":        facts.TotalsText,
		"amountOfTotal": facts.AmountOfTotal,
	})
}
