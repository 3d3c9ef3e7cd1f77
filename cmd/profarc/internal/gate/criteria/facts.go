package criteria

import (
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
)

func (j *judge) judgeSize() Criterion {
	c := Criterion{Name: "size", Bound: Most, Threshold: float64(j.limits.Size), Unit: UnitBytes}
	h := j.s.Header()
	return c.judgedBy(float64(h.FileSize), "%s methods, %s profiles", cli.Grouped(h.Counts.Methods),
		cli.Grouped(h.Counts.Profiles))
}

// judgeGrowth judges the size of the file relative to the baseline's.
func (j *judge) judgeGrowth() Criterion {
	c := Criterion{Name: "growth", Bound: Most, Threshold: j.limits.Growth, Unit: UnitTimes}
	if c, ok := j.withBaseline(c); !ok {
		return c
	}
	was := j.evidence.BaselineSize
	return c.judgedBy(float64(j.s.Header().FileSize)/float64(was), "%s has %s bytes", j.evidence.BaselineName,
		cli.Grouped(uint64(was)))
}

func (j *judge) judgeRuns() Criterion {
	c := Criterion{Name: "runs", Bound: Least, Threshold: float64(j.limits.Runs), Unit: UnitRuns}
	if j.s.Header().Flags&schema.FlagMerged == 0 {
		return c.judgedBy(1, "it is of one dump")
	}
	dumps, err := j.s.TableOrEmpty(schema.TableDumps)
	if err != nil {
		return c.unchecked("%v", err)
	}
	return c.judgedBy(float64(dumps.Rows), "it was merged from %d dumps", dumps.Rows)
}

// maxClockSkew is how far the clock of another machine may be ahead.
const maxClockSkew = 24 * time.Hour

// judgeAge judges the time since the last dump.
func (j *judge) judgeAge() Criterion {
	c := Criterion{Name: "age", Bound: Most, Threshold: j.limits.Age.Seconds(), Unit: UnitSeconds}
	dumped := j.s.Header().Time()
	if dumped.IsZero() {
		return c.unchecked("the archive does not say when it was dumped")
	}
	at := dumped.UTC().Format(time.RFC3339)
	age := j.evidence.Now.Sub(dumped)
	if age < -maxClockSkew {
		return c.unchecked("it was dumped at %s, which is still to come: one of two clocks is wrong", at)
	}
	return c.judgedBy(max(age, 0).Seconds(), "the last dump is of %s", at)
}
