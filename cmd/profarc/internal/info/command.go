// Package info implements the command info, which describes an archive.
package info

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type infoOptions struct{ summary, tables, losses bool }

//go:embed help.txt
var helpText string

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
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, value)
		}
	}
	line("archive", escape.Printable(f.Archive))
	w.Flush()
	printRuns(a, f.RunFacts)
	line("domain", f.Domain)
	line("format", f.Format)
	line("producer", escape.Printable(orUnknown(f.Producer)))
	if f.ProducerID != "" {
		line("producer id", f.ProducerID)
	}
	line("dump time", orUnknown(f.DumpTime))
	line("dump id", f.DumpID)
	line("sum", f.Sum)
	if b := f.LayerOn; b != nil {
		line("layer on", escape.Printable(fmt.Sprintf("dump %s, sum %s, of %s, %s: it lacks what that has", b.DumpID, b.Sum,
			orUnknown(b.DumpTime), orUnknown(b.Producer))))
	}
	line("fingerprint", orUnknown(f.Fingerprint))
	line("flags", strings.Join(f.Flags, ", "))
	line("features", fmt.Sprintf("required 0x%x, optional 0x%x, to write 0x%x", f.Required, f.Optional, f.ReadOnly))
	printAccount(w, f.Account)
	line("requested base", f.Base)
	line("size", screen.FormatCount(uint64(f.Size))+" bytes")
	line("opened in", cli.FormatDuration(time.Duration(f.OpenNS)))
	w.Flush()
	printRegions(a, screen, f)
	printNumbers(a, screen, f)
}

func orUnknown(text string) string {
	if text == "" {
		return "not known"
	}
	return text
}

func printRegions(a *cli.App, screen *terminal.Screen, f *facts.Facts) {
	fmt.Fprintf(a.Out, "\n%-16s%12s%16s\n", "region", "offset", "bytes")
	for _, r := range f.Regions {
		fmt.Fprintf(a.Out, "  %-14s%#12x%16s\n", r.Name, r.Offset, screen.FormatCount(uint64(r.Size)))
	}
}

func printNumbers(a *cli.App, screen *terminal.Screen, f *facts.Facts) {
	c := f.Counts
	for _, group := range []struct {
		name    string
		numbers []number
	}{
		{"holds", slices.Concat(methodNumbers(f), []number{{"profiles", c.Profiles}, {"contexts", c.Contexts},
			{"types", c.Types}, {"symbols", c.Symbols}, {"entries", c.Entries}, {"pointers", c.Pointers}})},
		{"sums", headerSums(f)},
		{"index", []number{{"lines", f.Index.Lines}, {"longest search", f.Index.MaxProbe}}},
	} {
		if len(group.numbers) == 0 {
			continue
		}
		fmt.Fprintf(a.Out, "\n%s\n", group.name)
		for _, n := range group.numbers {
			fmt.Fprintf(a.Out, "  %-14s%20s\n", n.name, screen.FormatCount(n.value))
		}
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	printLists(f, w)
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

// methodNumbers returns the number of methods, and of methods that never ran. Only GraalVM's profiles list the latter,
// so 0 is left out elsewhere.
func methodNumbers(f *facts.Facts) []number {
	all := []number{{"methods", f.Counts.Methods}}
	if f.Domain == layout.DomainGraal.String() || f.Counts.Unexecuted > 0 {
		all = append(all, number{"never ran", f.Counts.Unexecuted})
	}
	return all
}

func headerSums(f *facts.Facts) []number {
	s := f.Summary
	if s == nil {
		return nil
	}
	return []number{{"invocations", s.TotalInvocations}, {"highest", s.MaxInvocations}, {"counts", s.TotalCount},
		{"highest", s.MaxCount}}
}

type number struct {
	name  string
	value uint64
}

func printLists(f *facts.Facts, w *tabwriter.Writer) {
	if len(f.Settings) > 0 {
		fmt.Fprint(w, "\nsettings\n")
	}
	for _, s := range f.Settings {
		fmt.Fprintf(w, "  %s\t%d\n", s.Name, s.Value)
	}
	if len(f.Properties) > 0 {
		fmt.Fprint(w, "\nproperties\n")
	}
	for _, p := range f.Properties {
		fmt.Fprintf(w, "  %s\t%s\n", escape.Printable(p.Name), escape.Printable(p.Value))
	}
	if len(f.Tables) > 0 {
		fmt.Fprint(w, "\ntables\n")
	}
	for _, t := range f.Tables {
		fmt.Fprintf(w, "  %s\t%s\n", t.Name, tableSize(t))
	}
}

func tableSize(t facts.TableFact) string {
	rows := fmt.Sprintf("%d rows", t.Rows)
	if t.SampleFact == nil {
		return rows
	}
	return fmt.Sprintf("%s, %s, %s", cli.Amount(t.Stacks, "stack"), cli.Amount(t.Samples, "sample"), rows)
}
