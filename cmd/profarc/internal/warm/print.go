package warm

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/paired"
	"github.com/profarc/profarc/internal/names/escape"
)

func (r *report) printReport(a *cli.App) {
	r.printHead(a.Out)
	for _, m := range r.Measures {
		r.printMeasure(a.Out, m)
	}
	r.printVerdicts(a.Out)
	for _, text := range r.Notes {
		fmt.Fprintf(a.Out, "note: %s\n", cli.OneLine(escape.Printable(text)))
	}
}

func (r *report) printHead(w io.Writer) {
	fmt.Fprintf(w, "%s\n", cli.Shorten(escape.Printable(strings.Join(r.Command, " ")), 200))
	fmt.Fprintf(w, "%s, %s, %d CPUs; %s\n", escape.Printable(r.JVM), r.System, r.CPUs, r.roundsText())
	for _, t := range r.Trained {
		fmt.Fprintf(w, "training run for the %s: %s, %s", t.Name, cli.FormatDuration(time.Duration(t.WallNS)),
			cli.FormatSize(t.Bytes))
		if t.Classes > 0 {
			fmt.Fprintf(w, "; with it %d of %d classes come from an archive", t.Shared, t.Classes)
		}
		fmt.Fprintln(w)
	}
	reasons := map[string][]string{}
	for _, c := range r.Contenders {
		if c.LeftOut != "" {
			reasons[c.LeftOut] = append(reasons[c.LeftOut], c.Name)
		}
	}
	for _, c := range r.Contenders {
		if names := reasons[c.LeftOut]; c.LeftOut != "" && names[0] == c.Name {
			fmt.Fprintf(w, "left out: %s: %s\n", strings.Join(names, ", "), cli.OneLine(escape.Printable(c.LeftOut)))
		}
	}
	r.printAdopted(w)
	r.printDiscards(w)
	if r.Others > 0 {
		fmt.Fprintf(w, "other programs had %.0f%% of the processors\n", 100*r.Others)
	}
}

func (r *report) printAdopted(w io.Writer) {
	adopted := map[string][]float64{}
	for _, x := range r.Records {
		if x.Adopted != nil {
			adopted[x.Contender] = append(adopted[x.Contender], float64(*x.Adopted))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(adopted)) {
		fmt.Fprintf(w, "%s: the agent adopted %s (median); the archive has %s\n", name,
			cli.Amount(int(paired.Median(adopted[name])), "method"), cli.Amount(r.Profiles, "profile"))
	}
}

func (r *report) printDiscards(w io.Writer) {
	runs, failed := 0, 0
	for _, c := range r.Contenders {
		runs = runs + c.Runs + c.Failed
		failed += c.Failed
	}
	fmt.Fprintf(w, "%s, %d of them failed and in no figure", cli.Amount(runs, "run"), failed)
	differs := ""
	for _, x := range r.Records {
		if x.Differs != "" && differs == "" {
			differs = fmt.Sprintf("; the output differs, first of %s in round %d: %s", x.Contender, x.Round,
				escape.Printable(x.Differs))
		}
	}
	if differs == "" {
		differs = "; all others printed the same"
	}
	fmt.Fprintln(w, differs)
}

func (r *report) roundsText() string {
	if r.Rounds < r.Asked {
		return fmt.Sprintf("%d complete rounds of %d", r.Rounds, r.Asked)
	}
	return cli.Amount(r.Rounds, "round")
}

func (r *report) printMeasure(w io.Writer, m measure) {
	fmt.Fprintf(w, "\n%-36s%10s  %-27s  %s\n", m.Name, "median", fmt.Sprintf("%g%% interval", 100*r.Confidence),
		"to "+r.Baseline)
	for _, x := range m.Rows {
		line := fmt.Sprintf("  %-34s", x.Contender)
		if x.Never {
			fmt.Fprintf(w, "%s%10s\n", line, "never")
			continue
		}
		line += fmt.Sprintf("%10s  %-27s", m.formatValue(x.Median), m.intervalText(&x, r.Confidence))
		if x.Ratio != nil {
			line += "  " + x.Ratio.ratioText()
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func (m measure) intervalText(x *row, wanted float64) string {
	text := m.formatValue(x.Low) + " to "
	if x.High == math.MaxFloat64 {
		text += "never"
	} else {
		text += m.formatValue(x.High)
	}
	if x.Confidence < wanted {
		text += fmt.Sprintf(" (%.0f%%)", 100*x.Confidence)
	}
	return text
}

func (m measure) formatValue(v float64) string {
	if m.Unit == "bytes" {
		return cli.FormatSize(int64(v))
	}
	return cli.FormatDuration(time.Duration(v))
}

func (r *ratio) ratioText() string {
	if r.Confidence == 0 {
		return fmt.Sprintf("%.2f  (%s)", r.Estimate, r.Verdict)
	}
	return fmt.Sprintf("%.2f  (%.2f to %.2f)  %s", r.Estimate, r.Low, r.High, r.Verdict)
}

func (r *report) printVerdicts(w io.Writer) {
	if len(r.Verdicts) == 0 {
		return
	}
	fmt.Fprintf(w, "\nverdict\n")
	for _, v := range r.Verdicts {
		fmt.Fprintf(w, "  %s\n", v.verdictText())
	}
	if len(r.Leaders) > 0 {
		fmt.Fprintf(w, "  fastest: %s", r.Leaders[0])
		if others := r.Leaders[1:]; len(others) > 0 {
			fmt.Fprintf(w, "; not told apart from it: %s", strings.Join(others, ", "))
		}
		fmt.Fprintln(w)
	}
	if r.Advice != "" {
		fmt.Fprintf(w, "  advice: %s\n", r.Advice)
	}
	if least := paired.LeastPairs(r.Confidence); r.Rounds < least {
		fmt.Fprintf(w, "  %s: with %g%% confidence it takes %d at least\n", cli.Amount(r.Rounds, "round"),
			100*r.Confidence, least)
	}
}

func (v verdict) verdictText() string {
	text := fmt.Sprintf("%s against %s: ", v.Contender, v.Against)
	switch v.Wall.Verdict {
	case verdictLess:
		text += "faster, "
	case verdictMore:
		text += "slower, "
	default:
		text += v.Wall.Verdict + ", "
	}
	text += fmt.Sprintf("%.2f of the wall time", v.Wall.Estimate)
	if v.Wall.Confidence > 0 {
		text += fmt.Sprintf(", %.2f to %.2f with %.1f%% confidence, p = %.2g", v.Wall.Low, v.Wall.High,
			100*v.Wall.Confidence, v.Wall.P)
	}
	if v.CPU != nil {
		text += fmt.Sprintf("; %.2f of the processor time", v.CPU.Estimate)
		if v.CPU.Confidence > 0 {
			text += fmt.Sprintf(", %.2f to %.2f", v.CPU.Low, v.CPU.High)
		}
	}
	return text
}

// Contenders with and without the archive.
var (
	withArchive    = []string{"archive", "archive+flag", "aot+archive"}
	withoutArchive = []string{"plain", "appcds", "flag", "aot", "c1"}
)

// adviceText compares the fastest contender with the archive and the fastest without it. It returns "" if one is
// missing.
func (r *report) adviceText() string {
	with := r.fastestOf(withArchive)
	without := r.fastestOf(withoutArchive)
	if with == "" || without == "" {
		return ""
	}
	p := r.compareFigure(figures[0], with, without)
	if p == nil || p.Confidence == 0 {
		return ""
	}
	switch p.Verdict {
	case verdictLess:
		return fmt.Sprintf("use %s: %.2f of the wall time with %s, the fastest without the archive", with,
			p.Estimate, without)
	case verdictMore:
		return fmt.Sprintf("do without the archive: %s takes %.2f of the wall time with %s%s", with, p.Estimate, without,
			peakCaveat(without))
	}
	return fmt.Sprintf("do without the archive, or measure more rounds: %s is not shown to be faster than %s%s", with,
		without, peakCaveat(without))
}

func peakCaveat(name string) string {
	if name != "c1" {
		return ""
	}
	return "; runs that are longer, and servers, lose by C1 alone"
}

func (r *report) fastestOf(of []string) (name string) {
	if len(r.Measures) == 0 {
		return ""
	}
	least := 0.0
	for _, x := range r.Measures[0].Rows {
		if slices.Contains(of, x.Contender) && (name == "" || x.Median < least) {
			name = x.Contender
			least = x.Median
		}
	}
	return name
}
