package check

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/diff"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

var (
	//go:embed report.txt
	reportText string
	//go:embed rewritten.txt
	rewrittenText string
)

func printCheck(a *cli.App, screen *terminal.Screen, r *report.Check) {
	app.PrintColumns(a.Out, tabwriter.AlignRight, reportText, r, template.FuncMap{
		"advice":    func() string { return report.AdviceToNameCode(screen.Domain) },
		"count":     screen.CountText,
		"remarks":   report.LoaderRemarks,
		"states":    fit.States,
		"unchecked": uncheckedText,
		"wrapped":   screen.WrappedText,
	})
	printPoints(a, screen, r)
	printRenames(a, screen, r)
	printMisfits(a, screen, r)
	if r.NoLongerCertain != nil {
		diff.PrintCertainties(a, screen, "no longer certain", "the archive", "the new profiles", terminal.Bad,
			*r.NoLongerCertain)
	}
	if r.Rewritten != nil {
		app.PrintReport(a.Out, rewrittenText, r.Rewritten, nil)
	}
}

func printPoints(a *cli.App, screen *terminal.Screen, r *report.Check) {
	p := &r.Points
	all := p.TotalCounts()
	if all == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\nprofile points of changed code\n")
	g := terminal.NewGrid(screen, a.Out, -1)
	row := func(color, state, points string, l fit.Loss, reason string) {
		g.AddRow(color, "  "+state, screen.FormatCount(uint64(l.Points))+" "+points, cli.FormatPercent(l.Counts/all), reason)
	}
	row("", "moved", "points", p.Found, "of their counts")
	if p.Swapped.Points > 0 {
		row("", "swapped", "of these", p.Swapped,
			"branches whose condition is inverted: taken and not taken change sides")
	}
	for _, l := range p.Dropped {
		row(terminal.Doubtful, "dropped", "points", l, l.Reason)
	}
	g.Print(0)
	dropped := func(why string) bool {
		return slices.ContainsFunc(p.Dropped, func(l fit.Loss) bool { return l.Reason == why })
	}
	if dropped(fit.LostAssumed) {
		fmt.Fprintf(a.Out,
			"--confidence %g moves points as if the new code reached them as often as the old, which is so if a new way out "+
				"is hardly ever taken\n", fit.AssumedConfidence)
	}
	if dropped(fit.LostUnknown) {
		fmt.Fprintf(a.Out,
			"what the archive does not say of its code, --old CLASSPATH does: name the code that was profiled\n")
	}
}

func printMisfits(a *cli.App, screen *terminal.Screen, r *report.Check) {
	if len(r.Misfits) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\nthe heaviest that do not fit as they are\n")
	g := terminal.NewGrid(screen, a.Out, 3)
	g.AddRow("", "state", "confidence", "counts", screen.InTerms("method"), "reason")
	for _, m := range r.Misfits {
		g.AddRow(stateColors[m.State], string(m.State), fmt.Sprintf("%.2f", m.Confidence),
			screen.FormatCount(uint64(m.Weight+0.5)),
			methodText(screen, m), escape.Printable(strings.TrimSpace(m.Reason)))
	}
	g.Print(0)
}

var stateColors = map[fit.State]string{fit.Moved: terminal.Doubtful, fit.Stale: terminal.Bad, fit.Gone: terminal.Bad}

// methodText returns the method of a verdict without its class loader, since code on a class path has no loader.
func methodText(screen *terminal.Screen, v report.CheckVerdict) string {
	name := v.MethodName
	name.Loader = ""
	return screen.MethodText(name)
}

// renamedText returns a class or a method in the screen's spelling.
func renamedText(screen *terminal.Screen, n layout.Key) string {
	switch {
	case screen.Spelling.Raw:
		return escape.Printable(report.RenameText(n))
	case n.Name == "":
		return escape.Printable(screen.Spelling.Type(screen.Domain, n.Class))
	}
	return screen.MethodText(analyze.MethodName{Class: n.Class, Name: n.Name, Signature: n.Signature})
}

const shownRenames = 20

func printRenames(a *cli.App, screen *terminal.Screen, r *report.Check) {
	if len(r.Renames) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\nrenamed\n")
	g := terminal.NewGrid(screen, a.Out, 2)
	g.AddRow("", "profiles", "counts", "was", "is now")
	for _, n := range r.Renames[:min(len(r.Renames), shownRenames)] {
		same := fmt.Sprintf("same code in %d of %s", n.Same, cli.Amount(n.Methods, screen.InTerms("method")))
		if n.Methods == 0 {
			same = "named by others"
		}
		g.AddRow("", screen.FormatCount(uint64(n.Profiles)), screen.FormatCount(uint64(n.Weight+0.5)), renamedText(screen,
			n.From),
			renamedText(screen, n.To)+", "+same)
	}
	g.Print(-1)
	if n := len(r.Renames) - shownRenames; n > 0 {
		fmt.Fprintf(a.Out, "and %d more\n", n)
	}
}

const shownReasons = 5

// uncheckedText describes on one line why profiles are unchecked.
func uncheckedText(reasons []report.CheckReason) string {
	parts := lists.Map(reasons[:min(shownReasons, len(reasons))], func(r report.CheckReason) string {
		return fmt.Sprintf("%s (%d)", escape.Printable(r.Reason), r.Profiles)
	})
	if n := len(reasons) - shownReasons; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more reasons", n))
	}
	return strings.Join(parts, "; ")
}
