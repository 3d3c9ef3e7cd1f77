// Package criteria judges whether a new archive may replace the one in use. Each criterion has a threshold. A criterion
// that cannot be judged has a reason, and does not pass.
package criteria

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/sampling"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Limits are the thresholds of the criteria. 0 disables a criterion.
type Limits struct {
	Fit      float64       // least share of all events that neither has changed nor is gone, from 0 to 1
	Checked  float64       // least share of the hot part that is compared
	Coverage float64       // least share of the baseline's hot counts in methods with counts
	Spread   float64       // least share of the baseline's methods with counts that have counts
	Overlap  float64       // least overlap with the baseline
	Counts   float64       // least counts of a run, relative to a run of the baseline
	Size     int64         // most bytes
	Growth   float64       // most times the size of the baseline
	Breadth  int           // fewest methods of the program itself with counts, without a baseline
	Weight   float64       // least share of all counts in the program itself, without a baseline
	Runs     int           // fewest dumps that the archive was made from
	Inputs   int           // fewest inputs that were read
	Damaged  Allowance     // inputs that are damaged, missing, skipped or cut
	Lost     Allowance     // lost share of the counts of a unit
	Age      time.Duration // maximum time since the last dump
	// Hot is the share of the baseline's counts that defines its hot methods. It is not a threshold.
	Hot layout.Weight
}

// An Allowance is a greatest value. The zero Allowance allows nothing.
type Allowance struct {
	Most    float64
	IsShare bool // Most is a share of all, from 0 to 1
	IsOff   bool // the criterion is disabled
}

// Evidence is the material for judging an archive. A missing part disables the criteria that need it. A part that
// cannot be read leaves them unchecked.
type Evidence struct {
	// Whole is the archive joined with its base; nil if the archive is no layer.
	Whole *reader.Store
	// Fit checks the archive against the program. It is nil without a program, and NoProgram is the reason.
	// An error that matches fit.ErrDomain leaves the criterion unchecked, any other fails it.
	Fit           func() (*report.Check, error)
	NoProgram     string
	MissesProgram bool // the program could be checked if it were here or named
	// Lacks reports whether the program certainly no longer has a method; nil if that is unknown.
	Lacks func(layout.Key) bool
	// Baseline is the archive in use, joined with its base; nil without one. BaselineName is its name,
	// "" without --baseline. BaselineError is the error of reading it.
	Baseline      *reader.Store
	BaselineName  string
	BaselineSize  int64 // size of the baseline's file in bytes
	BaselineError error
	Now           time.Time
	Written       time.Time // last write to the archive's file; zero if unknown
	CodeName      string    // name of the program for advice
}

// A State is the result of a criterion.
type State string

// The states.
const (
	Passed    State = "passed"
	Failed    State = "failed"
	Unchecked State = "unchecked" // could not be judged, see Reason
	Off       State = "off"       // disabled
)

// The units of values and thresholds.
const (
	UnitShare   = "share" // a number from 0 to 1
	UnitBytes   = "bytes"
	UnitTimes   = "times"
	UnitRuns    = "runs"
	UnitInputs  = "inputs"
	UnitMethods = "methods"
	UnitSeconds = "seconds"
)

// A Criterion is the result of one criterion.
type Criterion struct {
	Name      string   `json:"name"`
	State     State    `json:"state"`
	Waived    bool     `json:"waived"` // unchecked, which --allow-unchecked permits
	Value     *float64 `json:"value"`  // nil if unknown
	Bound     Bound    `json:"bound"`
	Threshold float64  `json:"threshold"` // least or greatest Value that passes
	Unit      string   `json:"unit"`
	Reason    string   `json:"reason"`           // explanation for people
	Advice    string   `json:"advice,omitempty"` // what to do if it does not pass

	// Interval contains Value without sampling error, with a confidence of 95%, or nil.
	Interval *sampling.Interval `json:"interval,omitempty"`
	// MoreSamples and MoreSeconds are about what a decision needs, in the state TooFew. 0 is unknown.
	MoreSamples float64 `json:"more_samples,omitempty"`
	MoreSeconds float64 `json:"more_seconds,omitempty"`

	// Warning is for an archive that passes nevertheless, or "".
	Warning string `json:"-"`

	allowsNone bool // 0 is a threshold, and does not disable the criterion
}

// A Bound is the kind of a threshold. The threshold itself passes.
type Bound string

// The bounds.
const (
	Least Bound = "least"
	Most  Bound = "most"
)

// NameOfChecked is the criterion for the share of the hot part that was compared.
const NameOfChecked = "checked"

// Names lists all criteria, in the order of a report.
func Names() []string {
	return lists.Map(explanations(), func(e explanation) string { return e.name })
}

// JudgeArchive judges a sound archive by all criteria. It returns only the error of ctx. Other errors become reasons of
// criteria.
func JudgeArchive(ctx context.Context, s *reader.Store, l Limits, e Evidence) ([]Criterion, error) {
	j := &judge{ctx: ctx, s: s, whole: cmp.Or(e.Whole, s), limits: l, evidence: e}
	if err := j.measureSamples(); err != nil && ctx.Err() == nil {
		j.evidence.Baseline, j.evidence.BaselineError = nil, err
	}
	criteria := append(j.judgeFit(), j.judgeCoverage(), j.judgeSpread(), j.judgeOverlap(), j.judgeCounts(), j.judgeSize(),
		j.judgeGrowth(), j.judgeRuns())
	criteria = append(criteria, j.judgeAccount()...)
	criteria = append(criteria, j.judgeAge())
	j.adviseAll(criteria)
	return criteria, ctx.Err()
}

// A Verdict is the overall result.
type Verdict string

// The verdicts.
const (
	Pass      Verdict = "pass"
	Fail      Verdict = "fail"
	TooLittle Verdict = "unchecked"       // nothing failed, and a criterion could not be checked
	TooShort  Verdict = "too-few-samples" // all other criteria pass
)

// VerdictOf returns Pass if no criterion blocks.
func VerdictOf(criteria []Criterion) Verdict {
	v := Pass
	for i := range criteria {
		c := &criteria[i]
		if c.State == Failed {
			return Fail
		}
		switch {
		case !c.BlocksPass():
		case c.State == Unchecked:
			v = TooLittle
		case v == Pass:
			v = TooShort
		}
	}
	return v
}

// BlocksPass reports whether the criterion keeps the archive from passing.
func (c *Criterion) BlocksPass() bool { return c.State == Failed || c.MayBeWaived() && !c.Waived }

// MayBeWaived reports whether --allow-unchecked lets the archive pass nevertheless.
func (c *Criterion) MayBeWaived() bool { return c.State == Unchecked || c.State == TooFew }

// HasNoThreshold reports whether the criterion only shows its value.
func (c *Criterion) HasNoThreshold() bool { return c.Threshold == 0 && !c.allowsNone }

type judge struct {
	ctx      context.Context
	s        *reader.Store // the file
	whole    *reader.Store // its profiles
	limits   Limits
	evidence Evidence
	// size and baseSize are zero for archives without sampling error.
	size, baseSize compare.SampleSize
}

func (j *judge) inTerms(text string) string { return display.InTermsOf(j.s.Header().Domain, text) }

func (c Criterion) unchecked(format string, args ...any) Criterion {
	c.State, c.Reason = Unchecked, "not checked: "+fmt.Sprintf(format, args...)
	return c.offWithout()
}

func (c Criterion) switchedOff(reason string) Criterion {
	c.State, c.Reason = Off, reason
	return c
}

func (c Criterion) offWithout() Criterion {
	if c.HasNoThreshold() {
		c.State = Off
	}
	return c
}

// judgedBy sets the value, compares it with the threshold, and explains it.
func (c Criterion) judgedBy(value float64, format string, args ...any) Criterion {
	c.Value, c.State, c.Reason = &value, Passed, fmt.Sprintf(format, args...)
	if c.Bound == Least && value < c.Threshold || c.Bound == Most && value > c.Threshold {
		c.State = Failed
	}
	return c.offWithout()
}

// judgeFit judges what remains of the archive in the program, how much of it was compared, and how much of the program
// the archive has.
func (j *judge) judgeFit() []Criterion {
	c := Criterion{Name: "fit", Bound: Least, Threshold: j.limits.Fit, Unit: UnitShare}
	of := Criterion{Name: NameOfChecked, Bound: Least, Threshold: j.limits.Checked, Unit: UnitShare}
	breadth := Criterion{Name: "breadth", Bound: Least, Threshold: float64(j.limits.Breadth), Unit: UnitMethods}
	weight := Criterion{Name: "weight", Bound: Least, Threshold: j.limits.Weight, Unit: UnitShare}
	without := func(c, of Criterion, reason string) []Criterion {
		return []Criterion{c, of.switchedOff(reason), breadth.switchedOff(reason), weight.switchedOff(reason)}
	}
	if j.evidence.Fit == nil {
		if j.evidence.MissesProgram || j.evidence.BaselineName == "" { // else the baseline decides
			return without(c.unchecked("%s", j.evidence.NoProgram), of, "see fit")
		}
		return without(c.switchedOff(j.evidence.NoProgram), of, j.evidence.NoProgram)
	}
	found, err := j.evidence.Fit()
	switch {
	case errors.Is(err, fit.ErrDomain):
		return without(c.unchecked("%v", err), of, "see fit")
	case err != nil:
		c.State, c.Reason = Failed, err.Error()
		return without(c.offWithout(), of, "see fit")
	}
	text := staleText(found)
	if found.Score < 1 {
		text = fmt.Sprintf("%s is lost; %s: %s", cli.FormatPercent(found.Lost), found.SharesText(), text)
	}
	c = j.shareBySamples(c.judgedBy(1-found.Lost, "%s", text))
	if !found.ComparedAny() {
		c = c.unchecked("%s", uncheckedText(found))
	}
	of = of.judgedByCoverage(found)
	if j.evidence.BaselineName != "" {
		const reason = "coverage and spread compare with the baseline"
		return []Criterion{c, of, breadth.switchedOff(reason), weight.switchedOff(reason)}
	}
	own := "the program itself"
	switch j.s.Header().Domain {
	case layout.DomainHotSpot:
		own += " (without the JDK)"
	case layout.DomainSampled:
		own += " (without libraries and runtime)"
	}
	breadth = breadth.judgedBy(float64(found.OwnMethods), "%s of %s with counts",
		cli.Amount(found.OwnMethods, j.inTerms("method")), own)
	weight = weight.judgedBy(found.OwnShare, j.inTerms("of all events are in methods of %s"), own)
	breadth, weight = j.breadthBySamples(breadth), j.shareBySamples(weight)
	return []Criterion{c, of, breadth.idleIfFailed(), weight.idleIfFailed()}
}

// idleIfFailed adds what a first archive with so little means.
func (c Criterion) idleIfFailed() Criterion {
	if c.State == Failed {
		c.Reason += ", too little to judge: the program was idle, or it is another one"
	}
	return c
}

// judgedByCoverage judges the compared share of the hot part. A low share is Unchecked rather than Failed, because the
// rest may fit.
func (c Criterion) judgedByCoverage(found *report.Check) Criterion {
	c = c.judgedBy(found.HotChecked, "of the hot part; %s", uncheckedText(found))
	if c.State == Failed {
		c.State = Unchecked
	}
	return c
}

func uncheckedText(found *report.Check) string {
	n := found.States[string(fit.Unchecked)].Profiles
	if n == 0 {
		return "no profile is unchecked"
	}
	return fmt.Sprintf("%d profiles are not checked: %s", n, found.Reasons[0].Reason)
}

// staleText counts the profiles by state, and names the heaviest misfit.
func staleText(found *report.Check) string {
	n := func(s fit.State) int { return found.States[string(s)].Profiles }
	fitting := n(fit.Exact) + n(fit.Renamed)
	text := fmt.Sprintf("%d profiles fit, %d moved, %d stale, %d gone", fitting, n(fit.Moved), n(fit.Stale), n(fit.Gone))
	if len(found.Misfits) > 0 {
		text += "; the most is lost in " + found.Misfits[0].Spelled()
	}
	for _, remark := range found.OriginRemarks() {
		text += "; " + remark
	}
	return text
}

// withBaseline reports whether there is a readable baseline. If not, it returns c as disabled or unchecked.
func (j *judge) withBaseline(c Criterion) (Criterion, bool) {
	switch e := &j.evidence; {
	case e.BaselineName == "":
		return c.switchedOff("no baseline is given"), false
	case e.Baseline == nil:
		return c.unchecked("the baseline cannot be read: %v", e.BaselineError), false
	}
	return c, true
}

func (j *judge) judgeSize() Criterion {
	c := Criterion{Name: "size", Bound: Most, Threshold: float64(j.limits.Size), Unit: UnitBytes}
	h := j.s.Header()
	return c.judgedBy(float64(h.FileSize), j.inTerms("%s methods, %s profiles"), cli.Grouped(h.Counts.Methods),
		cli.Grouped(h.Counts.Profiles))
}

// judgeGrowth judges the size of the file relative to the baseline's, and for samples the number of methods.
func (j *judge) judgeGrowth() Criterion {
	c := Criterion{Name: "growth", Bound: Most, Threshold: j.limits.Growth, Unit: UnitTimes}
	if c, ok := j.withBaseline(c); !ok {
		return c
	}
	if j.areSampled() {
		return j.growthBySamples(c)
	}
	was := j.evidence.BaselineSize
	return c.judgedBy(float64(j.s.Header().FileSize)/float64(was), "%s has %s bytes", j.evidence.BaselineName,
		cli.Grouped(uint64(was)))
}

// maxClockSkew is how far the clock of another machine may be ahead.
const maxClockSkew = 24 * time.Hour

func (j *judge) judgeAge() Criterion {
	c := Criterion{Name: "age", Bound: Most, Threshold: j.limits.Age.Seconds(), Unit: UnitSeconds}
	dumped := j.s.Header().Time()
	what := "the last dump is of"
	if dumped.IsZero() {
		dumped = j.evidence.Written
		what = "it does not say when it was dumped; its file is of"
	}
	if dumped.IsZero() {
		return c.unchecked("the archive does not say when it was dumped")
	}
	at := dumped.UTC().Format(time.RFC3339)
	age := j.evidence.Now.Sub(dumped)
	if age < -maxClockSkew {
		return c.unchecked("%s %s, which is still to come: one of two clocks is wrong", what, at)
	}
	return c.judgedBy(max(age, 0).Seconds(), "%s %s", what, at)
}
