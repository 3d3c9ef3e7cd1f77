package diff

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/terminal"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/internal/report"
)

func printDiff(a *app.App, screen *terminal.Screen, r *report.Diff) {
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
	printUntyped(a, r)
	printLeftOut(a, r)
	printNotCompared(a, r)
	printLoaders(a, r)
	printList(a.Out, "changed most", "difference\town overlap\tin A\tin B\t", r.Changed, func(m report.DiffMethod) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t  %s%s", app.FormatPercent(m.Difference), app.FormatPercent(m.Overlap), app.FormatPercent(m.ShareA), app.FormatPercent(m.ShareB),
			screen.Method(m.MethodName), app.Note(m.Mismatch, "mismatch"))
	})
	share := func(m report.DiffMethod) string {
		return app.FormatPercent(m.ShareA+m.ShareB) + "\t  " + screen.Method(m.MethodName)
	}
	printList(a.Out, "only in B", "in B\t", r.Came, share)
	printList(a.Out, "only in A", "in A\t", r.Went, share)
	printList(a.Out, "flipped branches", "weight\tin A\tof\tin B\tof\t", r.Flipped, func(f report.DiffFlip) string {
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t  %s", app.FormatPercent(f.Weight), f.A, f.A.Count, f.B, f.B.Count, f.Where(screen.Method(f.MethodName)))
	})
	printList(a.Out, "sites that changed", "weight\tchange\tin A\tof\tin B\tof\t", r.Sites, func(s report.DiffSite) string {
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%s\t%d\t  %s", app.FormatPercent(s.Weight), s.Change, s.A, s.A.Count, s.B, s.B.Count, s.Where(screen.Method(s.MethodName)))
	})
	PrintCertainties(a, screen, "no longer certain", "A", "B", r.NoLongerCertain)
	PrintCertainties(a, screen, "certain in B alone", "B", "A", r.NowCertain)
}

// kindText returns a kind of counts for people.
func kindText(kind string) string { return strings.ReplaceAll(kind, "_", " ") }

// verdict returns the score, or that there is none.
func verdict(r *report.Diff) string {
	if r.Score == nil {
		return "nothing to compare: no counts on either side"
	}
	return fmt.Sprintf("overlap %s of %s", app.FormatPercent(*r.Score), *r.ScoredBy)
}

// lowest returns the kind of counts that agrees least, if it agrees less than the
// score says.
func lowest(r *report.Diff) string {
	if r.Score == nil {
		return ""
	}
	low := report.DiffKind{Overlap: *r.Score}
	for _, k := range r.Kinds {
		if k.Overlap < low.Overlap {
			low = k
		}
	}
	if low.Kind == "" || app.FormatPercent(low.Overlap) == app.FormatPercent(*r.Score) {
		return ""
	}
	return fmt.Sprintf("; lowest %s of %s", app.FormatPercent(low.Overlap), kindText(low.Kind))
}

func printKinds(a *app.App, r *report.Diff) {
	if len(r.Kinds) == 0 {
		return
	}
	fmt.Fprintln(a.Out)
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "counts\toverlap\tmismatch\tonly B\tsum A\tsum B\t\n")
	for _, k := range r.Kinds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\t%.0f\t\n", kindText(k.Kind),
			app.FormatPercent(k.Overlap), app.FormatPercent(k.Mismatch), app.FormatPercent(k.OnlyB), k.SumA, k.SumB)
	}
	w.Flush()
}

// printNotCompared prints what is not in the score. One number stands for both
// archives if they have the same.
func printNotCompared(a *app.App, r *report.Diff) {
	var parts []string
	for _, b := range r.NotCompared {
		n := fmt.Sprint(b.A)
		if b.A != b.B {
			n = fmt.Sprintf("%d and %d", b.A, b.B)
		}
		parts = append(parts, n+" "+b.What)
	}
	if len(parts) > 0 {
		fmt.Fprintf(a.Out, "\nnot compared: %s\n", strings.Join(parts, ", "))
	}
}

// printLeftOut prints which records are not compared.
func printLeftOut(a *app.App, r *report.Diff) {
	switch {
	case r.LeftOut > 0 && r.ContextSensitive:
		fmt.Fprintf(a.Out, "\n%d records that are not context-sensitive are left out: compare them without --cs\n", r.LeftOut)
	case r.LeftOut > 0:
		fmt.Fprintf(a.Out, "\n%d context-sensitive records are left out: compare them with --cs\n", r.LeftOut)
	}
	if r.MarkedA > 0 || r.MarkedB > 0 {
		fmt.Fprintf(a.Out, "\n%d functions of A and %d of B are marked as hot or warm and have no counts to compare\n", r.MarkedA, r.MarkedB)
	}
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

// others describes how often a site had another outcome.
func others(c report.Certainty) string {
	if c.Others == nil {
		return "null seen"
	}
	return fmt.Sprintf("otherwise %d", *c.Others)
}

// PrintCertainties prints the sites that are certain in one archive only.
// certain and not name the archives in which they are and are not.
func PrintCertainties(a *app.App, screen *terminal.Screen, title, certain, not string, l report.List[report.Certainty]) {
	columns := fmt.Sprintf("weight\tin %s always\ttimes\tin %s\tof\t", certain, not)
	printList(a.Out, title, columns, l, func(c report.Certainty) string {
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%d\t  %s", app.FormatPercent(c.Weight), c.Always, c.Times, others(c), c.Count, c.Where(screen.Method(c.MethodName)))
	})
}

// printUntyped prints the counts whose types were not recorded.
func printUntyped(a *app.App, r *report.Diff) {
	for _, k := range r.Kinds {
		if k.UntypedA+k.UntypedB > 0 {
			fmt.Fprintf(a.Out, "\n%s of types that were not recorded are in no sum: %.0f in A, %.0f in B\n", kindText(k.Kind), k.UntypedA, k.UntypedB)
		}
	}
}

// shownDoubts is the most doubts that are printed one by one.
const shownDoubts = 5

// PrintLoaderDoubts prints which class loaders of two runs cannot be matched for
// sure.
func PrintLoaderDoubts(w io.Writer, doubts []report.LoaderDoubt) {
	for _, d := range doubts[:min(len(doubts), shownDoubts)] {
		what := fmt.Sprintf("none of the %d class loaders %s of the one is among the %d of the other", len(d.A), escape.Printable(d.Loader), len(d.B))
		if d.Numbered {
			what = fmt.Sprintf("class loaders %s are the same by number alone, which may be of others in the other run", escape.Printable(d.Loader))
		}
		fmt.Fprintf(w, "\ndoubt: %s\n", what)
	}
	if n := len(doubts) - shownDoubts; n > 0 {
		fmt.Fprintf(w, "\ndoubt: the same of the class loaders of %d more names\n", n)
	}
}

func printLoaders(a *app.App, r *report.Diff) {
	if r.NoLoaders != "" {
		fmt.Fprintf(a.Out, "\nnot matched: %s names no class loaders, the other does: classes of the application are others there; profarc check matches them by name\n", escape.Printable(r.NoLoaders))
	}
	PrintLoaderDoubts(a.Out, r.Loaders)
}
