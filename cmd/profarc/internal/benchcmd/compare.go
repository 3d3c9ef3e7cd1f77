package benchcmd

import (
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/profarc/profarc/internal/cli"
)

type change struct {
	Name    string  `json:"name"`
	By      string  `json:"by"` // "time" or "ratio"
	Then    float64 `json:"then"`
	Now     float64 `json:"now"`
	Change  float64 `json:"change"` // ratio of Now to Then
	Noise   float64 `json:"noise"`
	Verdict string  `json:"verdict"`
}

const (
	// leastNoise is the difference between two builds of the same code.
	leastNoise = 0.03
	// leastMedian is the least time, or ratio of times, that can be measured.
	leastMedian = 1e-6
	// enoughRounds is the minimum number of rounds for meaningful quartiles.
	enoughRounds = 5
)

func readOldReport(path string) (*report, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var old report
	if err := json.Unmarshal(text, &old); err != nil || len(old.Rows) == 0 {
		return nil, fmt.Errorf("%s: it is not what profarc bench --json prints", path)
	}
	return &old, nil
}

func (r *report) addChanges(old *report) {
	if old.Bytes != r.Bytes || old.Methods != r.Methods {
		r.addNote("the earlier run was of another archive")
	}
	if old.Go != r.Go || old.System != r.System || old.CPUs != r.CPUs {
		r.addNote(fmt.Sprintf("the earlier run was on another system: %s, %s, %d CPUs", old.Go, old.System, old.CPUs))
	}
	then := map[string]*row{}
	for i := range old.Rows {
		then[old.Rows[i].Name] = &old.Rows[i]
	}
	for i := range r.Rows {
		if o := then[r.Rows[i].Name]; o != nil {
			r.Changes = append(r.Changes, compareRows(o, &r.Rows[i]))
		}
	}
}

func compareRows(then, now *row) change {
	byTime := func(r *row) ratio { return ratio{r.Archive.MedianNS, r.Archive.Q1NS, r.Archive.Q3NS} }
	c := change{Name: now.Name, By: "time"}
	a := byTime(then)
	b := byTime(now)
	if then.Ratio != nil && now.Ratio != nil {
		c.By = "ratio"
		a = *then.Ratio
		b = *now.Ratio
	}
	c.Then = a.Median
	c.Now = b.Median
	c.Verdict = "unknown"
	if min(a.Median, b.Median) < leastMedian {
		return c
	}
	c.Change = b.Median / a.Median
	c.Noise = min(1e6, max(leastNoise, a.relativeSpread()+b.relativeSpread()))
	if min(then.Rounds, now.Rounds) >= enoughRounds {
		c.Verdict = verdictOf(c.Change, c.Noise)
	}
	return c
}

// relativeSpread returns the interquartile range as a share of the median.
func (r *ratio) relativeSpread() float64 { return (r.Q3 - r.Q1) / r.Median }

func verdictOf(change, noise float64) string {
	switch {
	case math.Abs(math.Log(change)) <= math.Log1p(noise):
		return "same"
	case change < 1:
		return "faster"
	}
	return "slower"
}

var verdictTexts = map[string]string{
	"same": "within the noise", "faster": "faster, beyond the noise", "slower": "slower, beyond the noise",
	"unknown": "too few rounds to tell",
}

func (r *report) printChanges(a *cli.App) {
	if len(r.Changes) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\n%-33s%12s%12s%8s%8s\n", "compared with the earlier run", "then", "now", "change", "noise")
	for _, c := range r.Changes {
		then := formatNS(c.Then)
		now := formatNS(c.Now)
		if c.By == "ratio" {
			then = fmt.Sprintf("%.2f map", c.Then)
			now = fmt.Sprintf("%.2f map", c.Now)
		}
		fmt.Fprintf(a.Out, "%-33s%12s%12s%8.2f%7.0f%%  %s\n", c.Name, then, now, c.Change, 100*c.Noise,
			verdictTexts[c.Verdict])
	}
}
