// Package gate judges whether a new archive may take the place of the one in use: by how
// well it fits the program, what it covers of what was hot, and a few facts. Each
// criterion has a threshold. One that cannot be judged says why, and does not pass.
package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/compare"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/report"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits are the thresholds of the criteria. A criterion whose threshold is 0 is off.
type Limits struct {
	Fit      float64       // least score of the check against the program, from 0 to 1
	Coverage float64       // least share of the baseline's hot counts in methods that are covered
	Overlap  float64       // least overlap with the baseline
	Size     int64         // most bytes
	Growth   float64       // most times the size of the baseline
	Runs     int           // fewest dumps that the archive was made from
	Age      time.Duration // most since the last dump
	// Hot is the share of the baseline's counts whose methods are hot. It is no criterion.
	Hot layout.Weight
}

// Evidence is what an archive is held against. What is not given switches off the
// criteria that need it; what is given and cannot be had leaves them unchecked.
type Evidence struct {
	// Program is the name of the program, empty if none is given. Fit then checks the
	// archive against it. An error that matches fit.ErrDomain leaves the criterion
	// unchecked, any other fails it.
	Program string
	Fit     func() (*report.Check, error)
	// Lacks reports whether the program is known not to have a method any more; nil if
	// nothing is known.
	Lacks func(layout.Key) bool
	// Baseline is the archive in use, nil if there is none. BaselineName is its name,
	// empty if none is given, and BaselineError why it cannot be read.
	Baseline      *reader.Store
	BaselineName  string
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

// Names are the names of all criteria, in the order of a report.
var Names = []string{"fit", "coverage", "overlap", "size", "growth", "runs", "age"}

// Judge judges a sound archive by all criteria. The error is that of ctx; whatever else
// goes wrong is the reason of a criterion.
func Judge(ctx context.Context, s *reader.Store, l Limits, e Evidence) ([]Criterion, error) {
	j := &judge{ctx: ctx, s: s, limits: l, evidence: e}
	criteria := []Criterion{j.fit(), j.coverage(), j.overlap(), j.size(), j.growth(), j.runs(), j.age()}
	return criteria, ctx.Err()
}

// Passes reports whether no criterion failed, and each that is unchecked is waived.
func Passes(criteria []Criterion) bool {
	for i := range criteria {
		if criteria[i].Blocks() {
			return false
		}
	}
	return true
}

// Blocks reports whether the criterion keeps the archive from passing.
func (c *Criterion) Blocks() bool { return c.State == Failed || c.State == Unchecked && !c.Waived }

type judge struct {
	ctx      context.Context
	s        *reader.Store
	limits   Limits
	evidence Evidence
}

// unchecked returns a criterion that cannot be judged.
func (c Criterion) unchecked(format string, args ...any) Criterion {
	c.State, c.Reason = Unchecked, "not checked: "+fmt.Sprintf(format, args...)
	return c.offWithout()
}

// off returns a criterion that was not asked for.
func (c Criterion) off(reason string) Criterion {
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

// judged returns a criterion with its value, and what the value is.
func (c Criterion) judged(value float64, format string, args ...any) Criterion {
	c.Value, c.State, c.Reason = &value, Passed, fmt.Sprintf(format, args...)
	if c.Bound == Least && value < c.Threshold || c.Bound == Most && value > c.Threshold {
		c.State = Failed
	}
	return c.offWithout()
}

// fit judges how well the profiles fit the program.
func (j *judge) fit() Criterion {
	c := Criterion{Name: "fit", Bound: Least, Threshold: j.limits.Fit, Unit: UnitShare}
	if j.evidence.Program == "" {
		return c.off("no program is given")
	}
	found, err := j.evidence.Fit()
	switch {
	case errors.Is(err, fit.ErrDomain):
		return c.unchecked("%v", err)
	case err != nil:
		c.State, c.Reason = Failed, err.Error()
		return c.offWithout()
	}
	return c.judged(found.Score, "%s", staleText(found))
}

// staleText describes which profiles do not fit, and how much was not checked.
func staleText(found *report.Check) string {
	n := func(s fit.State) int { return found.States[s.String()].Profiles }
	fitting := n(fit.Exact) + n(fit.Renamed)
	text := fmt.Sprintf("%d profiles fit, %d moved, %d stale, %d gone", fitting, n(fit.Moved), n(fit.Stale), n(fit.Gone))
	if len(found.Misfits) > 0 {
		text += "; the most is lost in " + found.Misfits[0].Method
	}
	if u := found.States[fit.Unchecked.String()]; u.Profiles > 0 {
		text += fmt.Sprintf("; %d profiles with %.1f%% of all counts are not checked: %s", u.Profiles, 100*u.Share, found.Reasons[0].Reason)
	}
	return text
}

// overlap judges how far the archive agrees with the baseline.
func (j *judge) overlap() Criterion {
	c := Criterion{Name: "overlap", Bound: Least, Threshold: j.limits.Overlap, Unit: UnitShare}
	if c, ok := j.withBaseline(c); !ok {
		return c
	}
	r, err := compare.Stores(j.ctx, j.evidence.Baseline, j.s, compare.Options{})
	if err != nil {
		return c.unchecked("%v", err)
	}
	score, ok := r.Score()
	if !ok {
		return c.unchecked("neither archive has counts")
	}
	return c.judged(score, "of %s with %s: %d profiles in both, %d only in the new one, %d only in the baseline",
		r.Primary, j.evidence.BaselineName, r.Profiles.Matched, r.Profiles.OnlyB, r.Profiles.OnlyA)
}

// withBaseline reports whether there is a baseline, and returns the criterion without it.
func (j *judge) withBaseline(c Criterion) (Criterion, bool) {
	switch e := &j.evidence; {
	case e.BaselineName == "":
		return c.off("no baseline is given"), false
	case e.Baseline == nil:
		return c.unchecked("the baseline cannot be read: %v", e.BaselineError), false
	}
	return c, true
}
