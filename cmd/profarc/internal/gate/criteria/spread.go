package criteria

import (
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/reader"
)

// judgeSpread judges the share of the baseline's methods with counts that have counts in the archive. It is low for an
// idle program, which counts in few loops, and for another program.
func (j *judge) judgeSpread() Criterion {
	c := Criterion{Name: "spread", Bound: Least, Threshold: j.limits.Spread, Unit: UnitShare}
	c, ok := j.withCountsOfBaseline(c)
	if !ok {
		return c
	}
	both, all, err := j.countedMethods()
	switch {
	case err != nil:
		return c.unchecked("%v", err)
	case all == 0:
		return c.unchecked("the program has no method with counts of the baseline")
	}
	c = c.judgedBy(float64(both)/float64(all), "%d of %d methods with counts in the baseline have counts", both, all)
	if c.State == Failed {
		c.Reason += ": the program was idle, or it is another one"
	}
	return c
}

// countedMethods counts the baseline's methods with counts that the program still has, and how many of these have
// counts in the archive.
func (j *judge) countedMethods() (both, all int, err error) {
	steps := poll.New(j.ctx)
	for m, err := range j.evidence.Baseline.Methods() {
		if err == nil {
			err = steps.Err()
		}
		if err != nil {
			return 0, 0, err
		}
		in, has, err := j.countedIn(m)
		if err != nil {
			return 0, 0, err
		}
		all += in
		both += has
	}
	return both, all, nil
}

// countedIn returns in = 1 if a method has counts in the baseline and the program still has it, and has = 1 if it also
// has counts in the archive.
func (j *judge) countedIn(m reader.Method) (in, has int, err error) {
	k, err := m.Key()
	if err != nil || j.evidence.Lacks != nil && j.evidence.Lacks(k) {
		return 0, 0, err
	}
	counted, err := hasCounts(j.evidence.Baseline, m)
	if err != nil || !counted {
		return 0, 0, err
	}
	counted, err = j.hasCountsOf(k)
	if counted {
		has = 1
	}
	return 1, has, err
}
