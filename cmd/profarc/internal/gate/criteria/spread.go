package criteria

import (
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/reader"
)

// judgeSpread judges over how much of the baseline's code the archive has counts. An idle program counts a lot in a few
// loops, and another program in other code: both have counts of few of the baseline's methods.
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

// countedMethods counts the methods with counts in the baseline that the program still has, and those of them that
// have counts in the archive.
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

// countedIn returns 1 for in if a method of the baseline has counts there and the program still has it, and 1 for has
// if it has counts in the archive, too.
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
