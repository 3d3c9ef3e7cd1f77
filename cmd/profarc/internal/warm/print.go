package warm

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"text/template"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/paired"
)

//go:embed report.txt
var reportText string

func (r *report) printReport(a *cli.App) {
	app.PrintReport(a.Out, reportText, r, template.FuncMap{
		"oneLine": cli.OneLine,
		"percent": func(share float64) float64 { return 100 * share },
	})
}

type leftOut struct {
	Why   string
	Names []string
}

// LeftOut returns the contenders that were not measured, by reason.
func (r *report) LeftOut() (list []leftOut) {
	for _, c := range r.Contenders {
		at := slices.IndexFunc(list, func(l leftOut) bool { return l.Why == c.LeftOut })
		switch {
		case c.LeftOut == "":
		case at < 0:
			list = append(list, leftOut{c.LeftOut, []string{c.Name}})
		default:
			list[at].Names = append(list[at].Names, c.Name)
		}
	}
	return list
}

// Adopted returns the median number of methods that the agent adopted, by contender.
func (r *report) Adopted() map[string]int {
	adopted := map[string][]float64{}
	for _, x := range r.Records {
		if x.Adopted != nil {
			adopted[x.Contender] = append(adopted[x.Contender], float64(*x.Adopted))
		}
	}
	medians := map[string]int{}
	for name, counts := range adopted {
		medians[name] = int(paired.Median(counts))
	}
	return medians
}

// AllRuns returns the numbers of all runs of contenders.
func (r *report) AllRuns() (all struct{ Runs, Failed int }) {
	for _, c := range r.Contenders {
		all.Runs += c.Runs + c.Failed
		all.Failed += c.Failed
	}
	return all
}

// FirstDiffering returns the first run with another output, or nil.
func (r *report) FirstDiffering() *record {
	at := slices.IndexFunc(r.Records, func(x record) bool { return x.Differs != "" })
	if at < 0 {
		return nil
	}
	return &r.Records[at]
}

func (r *report) LeastRounds() int { return paired.LeastPairs(r.Confidence) }

// IntervalText returns the interval of a row. Its confidence follows if it is less than the one wanted.
func (m measure) IntervalText(x row, wanted float64) string {
	text := m.FormatValue(x.Low) + " to "
	if x.High == math.MaxFloat64 {
		text += "never"
	} else {
		text += m.FormatValue(x.High)
	}
	if x.Confidence < wanted {
		text += fmt.Sprintf(" (%.0f%%)", 100*x.Confidence)
	}
	return text
}

func (m measure) FormatValue(v float64) string {
	if m.Unit == "bytes" {
		return cli.FormatSize(int64(v))
	}
	return cli.FormatDuration(time.Duration(v))
}

// Text returns the comparison in words.
func (v verdict) Text() string {
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
