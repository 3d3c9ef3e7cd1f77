package diff

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/cmd/profarc/internal/report"
	"github.com/profarc/profarc/cmd/profarc/internal/terminal"
	"github.com/profarc/profarc/internal/cli"
)

func printDiff(a *cli.App, screen *terminal.Screen, r *report.Diff) {
	fmt.Fprintf(a.Out, "%s, domain %s%s\n\n", verdict(r), r.Domain, lowest(r))
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tA\tB\tmatched\tmismatch\tonly A\tonly B\t\n")
	for _, t := range []struct {
		name string
		report.DiffTally
	}{{"methods", r.Methods}, {"profiles", r.Profiles}} {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", t.name, t.A, t.B, t.Matched, t.Mismatch, t.OnlyA, t.OnlyB)
	}
	w.Flush()
	printKinds(a, r)
	PrintRemarks(a.Out, r.Remarks(func(n float64) string { return fmt.Sprintf("%.0f", n) }))
	printList(a.Out, "changed most", "difference\town overlap\tin A\tin B\t", r.Changed, func(m report.DiffMethod) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t  %s%s", cli.FormatPercent(m.Difference), cli.FormatPercent(m.Overlap),
			cli.FormatPercent(m.ShareA), cli.FormatPercent(m.ShareB),
			screen.Method(m.MethodName), cli.Note(m.Mismatch, "mismatch"))
	})
	share := func(m report.DiffMethod) string {
		return cli.FormatPercent(m.ShareA+m.ShareB) + "\t  " + screen.Method(m.MethodName)
	}
	printList(a.Out, "only in B", "in B\t", r.Came, share)
	printList(a.Out, "only in A", "in A\t", r.Went, share)
	printList(a.Out, "the same code in a hidden class of another name", "in A\tin B\t", r.Renumbered,
		func(m report.DiffRenumbered) string {
			return fmt.Sprintf("%s\t%s\t  %s; in B: %s", cli.FormatPercent(m.ShareA), cli.FormatPercent(m.ShareB),
				screen.Method(m.MethodName), screen.Method(m.NameB))
		})
	printList(a.Out, "flipped branches", "weight\tin A\tof\tin B\tof\t", r.Flipped, func(f report.DiffFlip) string {
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t  %s", cli.FormatPercent(f.Weight), f.A, f.A.Count, f.B, f.B.Count,
			f.Where(screen.Method(f.MethodName)))
	})
	printList(a.Out, "sites that changed", "weight\tsite\tchange\tin A\tof\tin B\tof\t", r.Sites,
		func(s report.DiffSite) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t%d\t  %s", cli.FormatPercent(s.Weight), report.SiteText(s.Kind),
				s.Change, s.A, s.A.Count, s.B, s.B.Count, s.Where(screen.Method(s.MethodName))+newTargets(s.New))
		})
	PrintCertainties(a, screen, "no longer certain", "A", "B", r.NoLongerCertain)
	PrintCertainties(a, screen, "certain in B alone", "B", "A", r.NowCertain)
}

// verdict returns the score, or that there is none.
func verdict(r *report.Diff) string {
	if r.Score == nil {
		return "nothing to compare: no counts on either side"
	}
	return fmt.Sprintf("overlap %s of %s", cli.FormatPercent(*r.Score), report.KindText(*r.ScoredBy))
}

// lowest names the kind of counts that agrees least, if it agrees less than the score says.
func lowest(r *report.Diff) string {
	low := r.Lowest(cli.FormatPercent)
	if low == nil {
		return ""
	}
	return fmt.Sprintf("; lowest %s of %s", cli.FormatPercent(low.Overlap), report.KindText(low.Kind))
}

// PrintRemarks prints sentences, each of them a paragraph.
func PrintRemarks(w io.Writer, remarks []string) {
	for _, text := range remarks {
		fmt.Fprintf(w, "\n%s\n", text)
	}
}

func printKinds(a *cli.App, r *report.Diff) {
	if len(r.Kinds) == 0 {
		return
	}
	fmt.Fprintln(a.Out)
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "counts\toverlap\tmismatch\tonly B\tsum A\tsum B\t\n")
	for _, k := range r.Kinds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\t%.0f\t\n", report.KindText(k.Kind),
			cli.FormatPercent(k.Overlap), cli.FormatPercent(k.Mismatch), cli.FormatPercent(k.OnlyB), k.SumA, k.SumB)
	}
	w.Flush()
}

// printList prints the heaviest of a list, if it has any.
func printList[T any](out io.Writer, title, columns string, l report.List[T], line func(T) string) {
	if l.Total == 0 || len(l.List) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s (%d of %d)\n", title, len(l.List), l.Total)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, columns)
	for _, x := range l.List {
		fmt.Fprintln(w, line(x))
	}
	w.Flush()
}

// newTargets names the types or targets that only B saw.
func newTargets(list []report.DiffTarget) string {
	var names []string
	for _, t := range list {
		names = append(names, t.String())
	}
	if len(names) == 0 {
		return ""
	}
	return "; new in B: " + strings.Join(names, ", ")
}

// others describes how often a site had another outcome.
func others(c report.Certainty) string {
	if c.Others == nil {
		return "null seen"
	}
	return fmt.Sprintf("otherwise %d", *c.Others)
}

// PrintCertainties prints the sites that are certain in one archive only.
// certain and not name the archives in which they are and are not.
func PrintCertainties(a *cli.App, screen *terminal.Screen, title, certain, not string,
	l report.List[report.Certainty]) {
	columns := fmt.Sprintf("weight\tin %s always\ttimes\tin %s\tof\t", certain, not)
	printList(a.Out, title, columns, l, func(c report.Certainty) string {
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t  %s", cli.FormatPercent(c.Weight), c.Always, c.Times, others(c), c.Count,
			c.Where(screen.Method(c.MethodName)))
	})
}
