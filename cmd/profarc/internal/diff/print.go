package diff

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"text/tabwriter"
	"text/template"
	"unicode/utf8"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/reader"
)

//go:embed report.txt
var reportText string

func printDiff(a *cli.App, screen *terminal.Screen, r *compare.Report) {
	sum := func(n float64) string { return sumText(screen, n) }
	app.PrintColumns(a.Out, tabwriter.AlignRight, reportText, r, template.FuncMap{
		"count":    screen.CountText,
		"interval": report.IntervalText,
		"kind":     report.KindText,
		"lowest":   func() *compare.Overlap { return report.Lowest(r, cli.FormatPercent) },
		"remarks":  func() []string { return report.Remarks(r, sum) },
		"sum":      func(kind string, n float64) string { return report.SumText(kind, n, sum) },
		"tallies": func() map[string]compare.Tally {
			return map[string]compare.Tally{screen.InTerms("methods"): r.Methods, "profiles": r.Profiles}
		},
		"wrapped": screen.WrappedText,
	})
	notes := func(m *compare.Method) string { return cli.Note(m.Mismatch, "mismatch") + cli.Note(m.Noise, noise) }
	printList(a, screen, "changed most", "difference\town overlap\tin A\tin B\t", r.Changed,
		func(m compare.Method) shownRow {
			return shownRow{color: changeColor(&m), text: fmt.Sprintf("%s\t%s\t%s\t%s\t  %s%s",
				cli.FormatPercent(m.Difference), cli.FormatPercent(m.Overlap), cli.FormatPercent(m.ShareA),
				cli.FormatPercent(m.ShareB), screen.MethodText(m.MethodName), notes(&m))}
		})
	share := func(m compare.Method) shownRow {
		return shownRow{text: cli.FormatPercent(m.ShareA+m.ShareB) + "\t  " + screen.MethodText(m.MethodName) +
			cli.Note(m.Noise, noise)}
	}
	printList(a, screen, "the same code in a hidden class of another name", "in A\tin B\t", r.Renumbered,
		func(m compare.Method) shownRow {
			return shownRow{text: fmt.Sprintf("%s\t%s\t  %s; in B: %s", cli.FormatPercent(m.ShareA),
				cli.FormatPercent(m.ShareB), screen.MethodText(m.MethodName), screen.MethodText(*m.NameB))}
		})
	printList(a, screen, "flipped branches", "weight\tin A\tof\tin B\tof\t", r.Flips, func(f compare.Flip) shownRow {
		return shownRow{color: terminal.Doubtful, text: fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t  %s",
			cli.FormatPercent(f.Weight), outcomeShareText(f.A), screen.FormatCount(f.A.Count), outcomeShareText(f.B),
			screen.FormatCount(f.B.Count),
			placeText(screen, f.Place))}
	})
	printList(a, screen, "sites that changed", "weight\tsite\tchange\t", r.Sites, func(s compare.SiteChange) shownRow {
		return shownRow{color: cmp.Or(changeColors[s.Change], terminal.Doubtful), text: fmt.Sprintf("%s\t%s\t%s\t  %s",
			cli.FormatPercent(s.Weight), report.SiteText(s.Kind), s.Change, placeText(screen, s.Place)),
			below: []string{"A " + seenText(screen, s.A), "B " + seenText(screen, s.B) + newTargets(screen, &s)}}
	})
	PrintCertainties(a, screen, "no longer certain", "A", "B", terminal.Bad, r.NoLongerCertain)
	PrintCertainties(a, screen, "certain in B alone", "B", "A", terminal.Good, r.NowCertain)
	printList(a, screen, "only in B", "in B\t", r.Came, share)
	printList(a, screen, "only in A", "in A\t", r.Went, share)
}

// sumText formats a total of counts, which can exceed 64 bits.
func sumText(screen *terminal.Screen, n float64) string {
	if n >= 1<<63 {
		return fmt.Sprintf("%.0f", n)
	}
	return screen.FormatCount(uint64(n + 0.5))
}

// A shownRow is a row of a list. text has columns that end in tabs, printed in color, and then a name. The lines in
// below follow.
type shownRow struct {
	color, text string
	below       []string
}

var changeColors = map[string]string{"polymorphic": terminal.Bad, "monomorphic": terminal.Good}

// noise is the note of a method that the sampling error explains.
const noise = "sampling error"

func changeColor(m *compare.Method) string {
	switch {
	case m.Noise:
		return ""
	case m.Overlap < 0.5:
		return terminal.Bad
	case m.Overlap < 0.9:
		return terminal.Doubtful
	}
	return ""
}

// printList prints the heaviest entries of a list that is not empty. On a terminal, the text after the columns is cut
// to the width.
func printList[T any](a *cli.App, screen *terminal.Screen, title, columns string, l compare.Ranking[T],
	row func(T) shownRow) {
	if l.Total == 0 || len(l.List) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\n%s (%d of %d)\n", title, len(l.List), l.Total)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, columns)
	rows := make([]shownRow, len(l.List))
	for i, x := range l.List {
		rows[i] = row(x)
		fmt.Fprintln(w, rows[i].text)
	}
	w.Flush()
	head, lines, _ := strings.Cut(table.String(), "\n")
	fmt.Fprintln(a.Out, head)
	end := utf8.RuneCountInString(head) + len(nameGap)
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		cells := []rune(line)
		used := min(len(cells), end)
		screen.PaintText(a.Out, rows[i].color, string(cells[:used]))
		fmt.Fprintln(a.Out, screen.Cut(string(cells[used:]), end))
		for _, text := range rows[i].below {
			fmt.Fprintf(a.Out, "%s%s\n", lineInset, strings.Join(screen.WrapText(text, len(lineInset)), "\n"+lineInset))
		}
	}
}

const nameGap = "  "

const lineInset = "           "

// placeText returns a method, its point and its callers on one line.
func placeText(screen *terminal.Screen, p compare.Place) string {
	text := fmt.Sprintf("%s @%d", screen.MethodText(p.MethodName), p.Point)
	for _, frame := range p.Context {
		text += " < " + frame
	}
	return escape.Printable(text)
}

func outcomeShareText(w compare.Way) string { return fmt.Sprintf("%s %.1f%%", w.Way, 100*w.Share) }

// seenText returns how often a site was reached, and its most frequent target.
func seenText(screen *terminal.Screen, s compare.Seen) string {
	return escape.Printable(fmt.Sprintf("%s, %s: %s %.1f%%", cli.Amount(s.Targets, "target"), screen.FormatCount(s.Count),
		targetText(screen, s.Top, s.Type), 100*s.Share))
}

func targetText(screen *terminal.Screen, target string, t reader.Type) string {
	if t == (reader.Type{}) {
		return screen.Spelling.Function(target)
	}
	return screen.Spelling.Type(screen.Domain, target)
}

// newTargets names the targets that only B saw.
func newTargets(screen *terminal.Screen, s *compare.SiteChange) string {
	var names []string
	for _, t := range s.New {
		if len(s.New) == 1 && t.Target == s.B.Top {
			return "; new"
		}
		names = append(names, escape.Printable(fmt.Sprintf("%s %.1f%%", targetText(screen, t.Target, t.Type), 100*t.Share)))
	}
	if len(names) == 0 {
		return ""
	}
	return "; new: " + strings.Join(names, ", ")
}

// othersText returns how often a site had another outcome.
func othersText(c compare.Certainty) string {
	if c.Others == nil {
		return "null seen"
	}
	return fmt.Sprintf("otherwise %d", *c.Others)
}

// PrintCertainties prints sites that have one outcome in the archive named certain, and several in the one named not.
func PrintCertainties(a *cli.App, screen *terminal.Screen, title, certain, not, color string,
	l compare.Ranking[compare.Certainty]) {
	columns := fmt.Sprintf("weight\tin %s always\ttimes\tin %s\tof\t", certain, not)
	printList(a, screen, title, columns, l, func(c compare.Certainty) shownRow {
		return shownRow{color: color, text: fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t  %s", cli.FormatPercent(c.Weight), c.Always,
			screen.FormatCount(c.Times), othersText(c), screen.FormatCount(c.Count), placeText(screen, c.Place))}
	})
}
