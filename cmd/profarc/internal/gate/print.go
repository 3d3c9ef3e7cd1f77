package gate

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/gate/criteria"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
)

//go:embed markdown.txt
var markdownText string

func (j *judgement) printReport(a *cli.App, o *options) error {
	switch {
	case a.JSON:
		return a.PrintJSON(j)
	case o.markdown:
		j.printMarkdown(a, o.explain)
	case j.Verdict != noProfile: // otherwise the error has the reason
		return o.screen.Run(a, func(screen *terminal.Screen) error {
			j.printText(a, screen)
			if o.explain {
				j.printExplanations(a)
			}
			return nil
		})
	}
	return nil
}

func (j *judgement) printText(a *cli.App, screen *terminal.Screen) {
	screen.PaintText(a.Out, verdictLooks[j.Verdict].color, escape.Printable(j.headline()))
	fmt.Fprint(a.Out, "\n\n")
	g := terminal.NewGrid(screen, a.Out, -1)
	g.AddRow("", "criterion", "state", "value", "threshold", "reason")
	for i := range j.Criteria {
		c := &j.Criteria[i]
		g.AddRow(stateLooks[c.State].color, c.Name, criterionState(c), valueText(c), thresholdText(c),
			escape.Printable(cli.OneLine(c.Reason)))
	}
	g.Print(1)
}

// printExplanations says what each criterion measures, and what to do if it does not pass.
func (j *judgement) printExplanations(a *cli.App) {
	for i := range j.Criteria {
		c := &j.Criteria[i]
		fmt.Fprint(a.Out, "\n"+wrapAbout(c.Name, criteria.AboutOf(c.Name)))
		if c.Advice != "" {
			fmt.Fprint(a.Out, wrapAbout("", "→ "+escape.Printable(c.Advice)))
		}
	}
}

// A look is how reports show a verdict or the state of a criterion.
type look struct{ color, mark, text string }

var verdictLooks = map[criteria.Verdict]look{
	criteria.Pass:      {terminal.Good, "✅", " passes the gate"},
	criteria.Fail:      {terminal.Bad, "❌", " does not pass the gate"},
	criteria.TooLittle: {terminal.Doubtful, "❔", " does not pass the gate: too little of it could be checked"},
	criteria.TooShort:  {terminal.Doubtful, "❔", " does not pass the gate: too few samples"},
	noProfile:          {"", "⚪", ": no profile to ship"},
}

var stateLooks = map[criteria.State]look{
	criteria.Passed: {terminal.Good, "✅", ""}, criteria.Failed: {terminal.Bad, "❌", ""},
	criteria.Unchecked: {terminal.Doubtful, "❔", ""}, criteria.TooFew: {terminal.Doubtful, "❔", ""},
	criteria.Off: {terminal.Faint, "➖", ""},
}

func (j *judgement) headline() string { return j.Archive + verdictLooks[j.Verdict].text }

// printMarkdown prints a table for a pull request. If there is no profile, it adds that the program runs without one.
func (j *judgement) printMarkdown(a *cli.App, explain bool) {
	app.PrintReport(a.Out, markdownText, j, template.FuncMap{
		"explain":     func() bool { return explain },
		"headline":    j.headline,
		"markdown":    func(text string) string { return markdownEscapes.Replace(escape.Printable(cli.OneLine(text))) },
		"state":       criterionState,
		"stateMark":   func(s criteria.State) string { return stateLooks[s].mark },
		"threshold":   thresholdText,
		"value":       valueText,
		"verdictMark": func(v criteria.Verdict) string { return verdictLooks[v].mark },
	})
}

// markdownEscapes escapes what Markdown would read as markup, and avoids mentioning a user.
var markdownEscapes = strings.NewReplacer("<", "&lt;", "&", "&amp;", "@", "&#64;", `\`, `\\`, "`", "\\`", "*", `\*`,
	"_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`, ">", `\>`, "!", `\!`)

func criterionState(c *criteria.Criterion) string {
	if c.Waived {
		return string(c.State) + ", allowed"
	}
	return string(c.State)
}

func valueText(c *criteria.Criterion) string {
	if c.Value == nil {
		return "-"
	}
	text := amountText(c.Unit, *c.Value)
	if i := c.Interval; i != nil && i.Low < i.High && c.Unit == criteria.UnitShare {
		text += " (" + report.IntervalText(*c.Interval) + ")"
	}
	return text
}

func thresholdText(c *criteria.Criterion) string {
	switch {
	case c.HasNoThreshold():
		return "-"
	case c.Bound == criteria.Least:
		return "at least " + amountText(c.Unit, c.Threshold)
	}
	return "at most " + amountText(c.Unit, c.Threshold)
}

func blockingText(c *criteria.Criterion) string {
	if c.Value == nil {
		return c.Reason
	}
	if c.State == criteria.TooFew {
		advice, _, _ := strings.Cut(c.Reason, "; ")
		return valueText(c) + " (" + thresholdText(c) + "): " + advice
	}
	return valueText(c) + " (" + thresholdText(c) + ")"
}

func amountText(unit string, v float64) string {
	switch unit {
	case criteria.UnitShare:
		return cli.FormatPercent(v)
	case criteria.UnitBytes:
		return cli.FormatSize(int64(v))
	case criteria.UnitTimes:
		return fmt.Sprintf("%.2f times", v)
	case criteria.UnitSeconds:
		return ageText(time.Duration(v * float64(time.Second)))
	}
	return fmt.Sprint(v)
}

// ageText formats an age in days if it has two, else in hours if it has two, else in minutes.
func ageText(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.1f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f minutes", d.Minutes())
}
