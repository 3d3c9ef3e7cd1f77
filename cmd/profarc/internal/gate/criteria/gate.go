// Package criteria judges whether a new archive may take the place of the one in use: by how
// well it fits the program, how much of the hot code it covers, and a few facts. Each
// criterion has a threshold. One that cannot be judged says why, and does not pass.
package criteria

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits are the thresholds of the criteria. A criterion whose threshold is 0 is off.
type Limits struct {
	Fit      float64       // least score of the check against the program, from 0 to 1
	Checked  float64       // least share of all events that the score covers
	Coverage float64       // least share of the baseline's hot counts in methods that are covered
	Spread   float64       // least share of the baseline's methods with counts that have counts
	Overlap  float64       // least overlap with the baseline
	Size     int64         // most bytes
	Growth   float64       // most times the size of the baseline
	Runs     int           // fewest dumps that the archive was made from
	Age      time.Duration // most since the last dump
	// Hot is the share of the baseline's counts whose methods are hot. It is no criterion.
	Hot layout.Weight
}

// Evidence is what an archive is held against. A missing part switches off the
// criteria that need it; a part that cannot be read leaves them unchecked.
type Evidence struct {
	// Whole is the archive with its base if it is a layer, nil if it is none.
	Whole *reader.Store
	// Fit checks the archive against the program, nil if none is given; NoProgram says why.
	// An error that matches fit.ErrDomain leaves the criterion unchecked, any other fails it.
	Fit       func() (*report.Check, error)
	NoProgram string
	// Lacks reports whether the program is known not to have a method any more; nil if nothing is known.
	Lacks func(layout.Key) bool
	// Baseline is the archive in use, with its base, nil if there is none. BaselineName is its name,
	// empty if none is given, and BaselineError why it cannot be read.
	Baseline      *reader.Store
	BaselineName  string
	BaselineSize  int64 // of its file, in bytes
	BaselineError error
	Now           time.Time
}

// A State is how an archive meets a criterion.
type State string

// The states.
const (
	Passed    State = "passed"
	Failed    State = "failed"
	Unchecked State = "unchecked" // it cannot be judged; Reason says why
	Off       State = "off"       // it was not asked for
)

// The units of values and thresholds.
const (
	UnitShare   = "share" // from 0 to 1
	UnitBytes   = "bytes"
	UnitTimes   = "times"
	UnitRuns    = "runs"
	UnitSeconds = "seconds"
)

// A Criterion says how an archive meets one criterion.
type Criterion struct {
	Name      string   `json:"name"`
	State     State    `json:"state"`
	Waived    bool     `json:"waived"` // it is unchecked, and may be
	Value     *float64 `json:"value"`  // nil if it is not known
	Bound     Bound    `json:"bound"`
	Threshold float64  `json:"threshold"` // of Value
	Unit      string   `json:"unit"`
	Reason    string   `json:"reason"` // for people
}

// A Bound says on which side of a threshold a value passes. The threshold itself passes.
type Bound string

// The bounds.
const (
	Least Bound = "least"
	Most  Bound = "most"
)

// NameOfChecked is the name of the criterion by which a score says nothing if it covers too little.
const NameOfChecked = "checked"

// Names are the names of all criteria, in the order of a report.
var Names = []string{"fit", NameOfChecked, "coverage", "spread", "overlap", "size", "growth", "runs", "age"}

// Judge judges a sound archive by all criteria. The error is ctx's; whatever else
// goes wrong is the reason of a criterion.
func Judge(ctx context.Context, s *reader.Store, l Limits, e Evidence) ([]Criterion, error) {
	j := &judge{ctx: ctx, s: s, whole: cmp.Or(e.Whole, s), limits: l, evidence: e}
	criteria := append(j.judgeFit(), j.judgeCoverage(), j.judgeSpread(), j.judgeOverlap(), j.judgeSize(), j.judgeGrowth(), j.judgeRuns(), j.judgeAge())
	return criteria, ctx.Err()
}

// A Verdict says whether an archive passes.
type Verdict string

// The verdicts.
const (
	Pass      Verdict = "pass"
	Fail      Verdict = "fail"
	TooLittle Verdict = "unchecked" // it is not known how the archive fits, and nothing else blocks it
)

// VerdictOf returns Pass if no criterion failed, and each that is unchecked is waived.
func VerdictOf(criteria []Criterion) Verdict {
	v := Pass
	for i := range criteria {
		switch c := &criteria[i]; {
		case !c.Blocks():
		case c.Name != NameOfChecked:
			return Fail
		default:
			v = TooLittle
		}
	}
	return v
}

// Blocks reports whether the criterion keeps the archive from passing.
func (c *Criterion) Blocks() bool { return c.State == Failed || c.State == Unchecked && !c.Waived }

type judge struct {
	ctx      context.Context
	s        *reader.Store // the file
	whole    *reader.Store // its profiles
	limits   Limits
	evidence Evidence
}

// unchecked returns a criterion that cannot be judged.
func (c Criterion) unchecked(format string, args ...any) Criterion {
	c.State, c.Reason = Unchecked, "not checked: "+fmt.Sprintf(format, args...)
	return c.offWithout()
}

// switchedOff returns a criterion that was not asked for.
func (c Criterion) switchedOff(reason string) Criterion {
	c.State, c.Reason = Off, reason
	return c
}

// offWithout switches a criterion without a threshold off.
func (c Criterion) offWithout() Criterion {
	if c.Threshold == 0 {
		c.State = Off
	}
	return c
}

// judgedBy returns a criterion with its value, and what the value is.
func (c Criterion) judgedBy(value float64, format string, args ...any) Criterion {
	c.Value, c.State, c.Reason = &value, Passed, fmt.Sprintf(format, args...)
	if c.Bound == Least && value < c.Threshold || c.Bound == Most && value > c.Threshold {
		c.State = Failed
	}
	return c.offWithout()
}

// judgeFit judges how well the profiles fit the program, and of how much of them that is known.
func (j *judge) judgeFit() []Criterion {
	c := Criterion{Name: "fit", Bound: Least, Threshold: j.limits.Fit, Unit: UnitShare}
	of := Criterion{Name: NameOfChecked, Bound: Least, Threshold: j.limits.Checked, Unit: UnitShare}
	if j.evidence.Fit == nil {
		return []Criterion{c.switchedOff(j.evidence.NoProgram), of.switchedOff(j.evidence.NoProgram)}
	}
	found, err := j.evidence.Fit()
	switch {
	case errors.Is(err, fit.ErrDomain):
		return []Criterion{c.unchecked("%v", err), of.switchedOff("see fit")}
	case err != nil:
		c.State, c.Reason = Failed, err.Error()
		return []Criterion{c.offWithout(), of.switchedOff("see fit")}
	}
	percent := func(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
	text := staleText(found)
	if share := found.OfChecked(percent); share != "" {
		text = strings.TrimSpace(share) + ": " + text
	}
	return []Criterion{c.judgedBy(found.Score, "%s", text), of.judgedByCoverage(found)}
}

// judgedByCoverage judges how much of an archive was checked. Too little is no failure of the profiles:
// the rest may fit or not.
func (c Criterion) judgedByCoverage(found *report.Check) Criterion {
	c = c.judgedBy(found.Checked, "of all events; %s", uncheckedText(found))
	if c.State == Failed {
		c.State = Unchecked
		c.Reason += ": name the JDK and the libraries too"
	}
	return c
}

// uncheckedText describes why profiles were not checked.
func uncheckedText(found *report.Check) string {
	n := found.States[string(fit.Unchecked)].Profiles
	if n == 0 {
		return "no profile is unchecked"
	}
	return fmt.Sprintf("%d profiles are not checked: %s", n, found.Reasons[0].Reason)
}

// staleText describes which profiles do not fit, and what they are compared with.
func staleText(found *report.Check) string {
	n := func(s fit.State) int { return found.States[string(s)].Profiles }
	fitting := n(fit.Exact) + n(fit.Renamed)
	text := fmt.Sprintf("%d profiles fit, %d moved, %d stale, %d gone", fitting, n(fit.Moved), n(fit.Stale), n(fit.Gone))
	if len(found.Misfits) > 0 {
		text += "; the most is lost in " + found.Misfits[0].Method
	}
	for _, remark := range found.OriginRemarks() {
		text += "; " + remark
	}
	return text
}

// judgeOverlap judges how far the archive agrees with the baseline.
func (j *judge) judgeOverlap() Criterion {
	c := Criterion{Name: "overlap", Bound: Least, Threshold: j.limits.Overlap, Unit: UnitShare}
	if c, ok := j.withBaseline(c); !ok {
		return c
	}
	r, err := compare.Stores(j.ctx, j.evidence.Baseline, j.whole, compare.Options{})
	if err != nil {
		return c.unchecked("%v", err)
	}
	if r.Score == nil {
		return c.unchecked("neither archive has counts")
	}
	return c.judgedBy(*r.Score, "of %s with %s: %d profiles in both, %d only in the new one, %d only in the baseline",
		r.Primary, j.evidence.BaselineName, r.Profiles.Matched, r.Profiles.OnlyB, r.Profiles.OnlyA)
}

// withBaseline reports whether there is a baseline, and returns the criterion without it.
func (j *judge) withBaseline(c Criterion) (Criterion, bool) {
	switch e := &j.evidence; {
	case e.BaselineName == "":
		return c.switchedOff("no baseline is given"), false
	case e.Baseline == nil:
		return c.unchecked("the baseline cannot be read: %v", e.BaselineError), false
	}
	return c, true
}
