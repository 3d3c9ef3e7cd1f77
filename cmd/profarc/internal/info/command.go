// Package info implements the command info, which describes an archive.
package info

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type infoOptions struct{ summary, tables, losses bool }

var (
	//go:embed help.txt
	helpText string
	//go:embed facts.txt
	factsText string
	//go:embed losses.txt
	lossesText string
	//go:embed summary.txt
	summaryText string
	//go:embed tables.txt
	tablesText string
)

func Command(a *cli.App) *cobra.Command {
	var o infoOptions
	cmd := a.NewCommand(helpText, cli.Args(1, 1, "one archive"),
		func(ctx context.Context, args []string) error { return runCommand(ctx, a, args[0], o) })
	cmd.ValidArgsFunction = cli.CompleteArchives(1, cli.ProfileExtensions...)
	cmd.Flags().BoolVar(&o.summary, "summary", false, "print how few methods and counts make up most of all counts")
	cmd.Flags().BoolVar(&o.losses, "losses", false, "print the inputs of the archive, and what was lost of them")
	cmd.Flags().BoolVar(&o.tables, "tables", false, "list the tables and their columns")
	a.AddJSONFlag(cmd)
	return cmd
}

func runCommand(ctx context.Context, a *cli.App, path string, o infoOptions) error {
	begin := time.Now()
	return a.WithStore(ctx, path, func(s *reader.Store) error {
		f, err := facts.Describe(s, time.Since(begin))
		if err != nil {
			return err
		}
		if o.summary {
			f.Cutoffs, err = facts.Summarize(ctx, s)
			if err != nil {
				return err
			}
		}
		if a.JSON {
			return a.PrintJSON(f)
		}
		terminal.FoldLines(a, func(a *cli.App, screen *terminal.Screen) {
			switch {
			case o.losses:
				printLosses(a.Out, f.Account)
			case o.tables:
				listTables(a, screen, f)
			default:
				printFacts(a, screen, f)
			}
			if o.summary {
				printSummary(a, screen, f.Cutoffs, s.Header().Domain)
			}
		})
		return nil
	})
}

func printFacts(a *cli.App, screen *terminal.Screen, f *facts.Facts) {
	app.PrintColumns(a.Out, 0, factsText, f, template.FuncMap{
		"count":     screen.CountText,
		"common":    commonFacts,
		"classPath": func(i int) []facts.ClassPathFact { return f.ClassPaths[i] },
		"moreRuns":  func(shown int) int { return f.NumRuns - shown },
		"fileSize":  func(n uint64) string { return cli.FormatSize(int64(min(n, 1<<62))) },
	})
}

func listTables(a *cli.App, screen *terminal.Screen, f *facts.Facts) {
	app.PrintColumns(a.Out, 0, tablesText, f, template.FuncMap{"count": screen.CountText})
}

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
