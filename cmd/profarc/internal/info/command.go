// Package info implements the command info, which describes an archive.
package info

import (
	"context"
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"text/tabwriter"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/reader"
)

type infoOptions struct{ summary, tables, losses bool }

var (
	//go:embed help.txt
	helpText string
	//go:embed facts.txt
	factsText string
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
	fmt.Fprintf(a.Out, "archive  %s\n", escape.Printable(f.Archive))
	printRuns(a, f.RunFacts)
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	app.PrintReport(w, factsText, f, template.FuncMap{
		"join": strings.Join,
		"count": func(n any) string {
			return screen.FormatCount(reflect.ValueOf(n).Convert(reflect.TypeFor[uint64]()).Uint())
		},
	})
	w.Flush()
}

func listTables(a *cli.App, screen *terminal.Screen, f *facts.Facts) {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, "kind\ttable\trows\tcolumns\n")
	for _, t := range f.Tables {
		var columns []string
		for _, c := range t.Columns {
			columns = append(columns, c.Name)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", t.Kind, t.Table, screen.FormatCount(uint64(t.Rows)), strings.Join(columns, " "))
	}
	w.Flush()
}
