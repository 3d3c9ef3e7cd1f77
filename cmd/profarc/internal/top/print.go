package top

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/internal/ranking"
)

// c2 is the compilation level of C2, whose code counts nothing.
const c2 = 4

func printTop(a *app.App, r *analyze.TopReport) {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	levels := slices.ContainsFunc(r.Methods, func(m analyze.TopMethod) bool { return m.Level != nil })
	column := func(shown bool, text string) string {
		if !shown {
			return ""
		}
		return text + "\t"
	}
	summed := r.ShareOf.AddsUp()
	fmt.Fprintf(w, "%s%s\tshare\t%s  method\n", column(levels, "level"), r.By, column(summed, "sum"))
	for _, m := range r.Methods {
		fmt.Fprintf(w, "%s%d\t%.1f%%\t%s  %s%s\n", column(levels, level(&m)), m.Value, 100*m.Share, column(summed, sum(&m)), escape.Printable(m.String()), app.Note(m.Cut, "cut off"))
	}
	w.Flush()
	fmt.Fprintf(a.Out, "\n%d of %d methods with any, %s\n", len(r.Methods), r.Of, totalText(r))
	if levels && compiled(r) {
		fmt.Fprintln(a.Out, "level 4: C2 compiled it and counts no more, so that it ran more often than this")
	}
	if r.Total == 0 {
		fmt.Fprintf(a.ErrOut, "profarc: nothing in %s counts %s: leave out --by, so that top takes a measure that it counts\n", escape.Printable(r.Archive), r.By)
	}
}

func level(m *analyze.TopMethod) string {
	if m.Level == nil {
		return "-"
	}
	return fmt.Sprint(*m.Level)
}

func sum(m *analyze.TopMethod) string {
	if m.Sum == nil {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100**m.Sum)
}

// compiled reports whether C2 compiled a listed method, which ended its counts.
func compiled(r *analyze.TopReport) bool {
	counted := slices.Contains([]string{"invocations", "backedges", "counts", "calls"}, r.By)
	return counted && slices.ContainsFunc(r.Methods, func(m analyze.TopMethod) bool { return m.Level != nil && *m.Level >= c2 })
}

// totalText says what shares refer to.
func totalText(r *analyze.TopReport) string {
	switch {
	case r.Total == 0:
		return "0 in total"
	case r.ShareOf == analyze.ShareOfRun:
		return fmt.Sprintf("%d in the run at least, %d of them in the archive", r.Total, r.ArchiveTotal)
	case r.ShareOf == analyze.ShareOfThreads:
		return fmt.Sprintf("shares are of the %d of all threads: each has those of the methods that it calls", r.Total)
	case r.ShareOf == analyze.ShareOfHighest:
		return "shares are of the highest: each has those of the methods that it calls"
	}
	return fmt.Sprintf("%d in total", r.Total)
}

func printSamples(a *app.App, r *ranking.SampleReport) {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "self\tshare\ttotal\tshare\t  method\n")
	for _, m := range r.Methods {
		fmt.Fprintf(w, "%d\t%.1f%%\t%d\t%.1f%%\t  %s\n", m.Self, 100*m.SelfShare, m.Total, 100*m.TotalShare, escape.Printable(m.String()))
	}
	w.Flush()
	fmt.Fprintf(a.Out, "\n%d of %s with any, %s of %s\n", len(r.Methods), app.Amount(r.Of, "method"), app.Amount(r.Total, "sample"), app.Amount(r.Stacks, "stack"))
}

func printPollution(a *app.App, r *ranking.PollutionReport) {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "count\tbest\tsplit\t  site\n")
	for _, s := range r.Sites {
		best := fmt.Sprintf("%.1f%%", 100*s.Best)
		if s.Kind == ranking.SiteNull {
			best = "-"
		}
		answer := string(s.Split)
		if s.Split == ranking.SplitPartly {
			answer = app.FormatPercentDown(s.Cured)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t  %s at %d of %s%s\n", s.Count, best, answer, s.Kind, s.Point, escape.Printable(s.String()), seenText(s))
	}
	w.Flush()
	fmt.Fprintf(a.Out, "\n%d of %d polluted sites\n", len(r.Sites), r.Of)
}

// seenText returns what a site saw, after a colon.
func seenText(s ranking.PollutedSite) string {
	var parts []string
	rest := s.Count
	for _, row := range s.Seen {
		parts = append(parts, fmt.Sprintf("%s %.2f", row.What, app.Share(row.Count, s.Count)))
		rest -= min(rest, row.Count)
	}
	if len(parts) == 0 {
		return ""
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("others %.2f", app.Share(rest, s.Count)))
	}
	return ": " + strings.Join(parts, ", ")
}

// pollutionText is the part of the help about --by pollution.
const pollutionText = `--by pollution lists sites whose records do not tell a compiler what to expect, those reached most
often first:

  receivers, checked   more than two types, none of them in 90% of all cases or more
  targets              the same, of the functions that an indirect call reached
  branch               the likelier of its two ways has less than 60%
  null                 a type check saw null; how often is not recorded. A check without a count is
                       taken to be reached as often as its method

best is the share of what was seen most. split says whether a profile for each calling context would
do better: in all recorded contexts (yes), in contexts with such a share of the counts, or in none
(no); contexts with less than 1% of the counts do not matter. If profiles of only one context were
recorded, as HotSpot does, that is unknown.`
