package criteria

import (
	"cmp"
	"context"
	"fmt"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// farShorter is the share of the counts of a run of the baseline below which there is a warning. A run of the fleet can
// last for days, so it is no threshold.
const farShorter = 0.1

// judgeCounts judges the counts of a run relative to a run of the baseline, in the unit with the largest share.
func (j *judge) judgeCounts() Criterion {
	c := Criterion{Name: "counts", Bound: Least, Threshold: j.limits.Counts, Unit: UnitShare}
	c, ok := j.withCountsOfBaseline(c)
	switch {
	case !ok:
		return c
	case j.areSampled():
		return c.switchedOff("the intervals of samples judge whether there are enough")
	}
	was, errWas := countsOfRun(j.ctx, j.evidence.Baseline)
	is, errIs := countsOfRun(j.ctx, j.whole)
	if err := cmp.Or(errWas, errIs); err != nil {
		return c.unchecked("%v", err)
	}
	share := 0.0
	for unit, n := range was {
		share = max(share, is[unit]/n)
	}
	if len(was) == 0 {
		return c.unchecked("the baseline has no counts")
	}
	c = c.judgedBy(share, "of the counts of a run of %s", j.evidence.BaselineName)
	if share < farShorter {
		c.Warning = "the training run was far shorter than the baseline's: --min-counts 10% refuses that"
		c.Reason += ", so " + c.Warning
	}
	return c
}

// countsOfRun returns the counts of an archive by unit, divided by its runs.
func countsOfRun(ctx context.Context, s *reader.Store) (map[layout.CountUnit]float64, error) {
	runs, _, errRuns := runsOf(s)
	weights, err := weigh.Methods(ctx, s)
	if err := cmp.Or(errRuns, err); err != nil {
		return nil, err
	}
	counts := map[layout.CountUnit]float64{}
	for _, u := range weights.Units() {
		counts[u] = weights.Total(u).Float() / float64(max(runs, 1))
	}
	return counts, nil
}

func (j *judge) judgeRuns() Criterion {
	c := Criterion{Name: "runs", Bound: Least, Threshold: float64(j.limits.Runs), Unit: UnitRuns}
	n, text, err := runsOf(j.s)
	if err != nil {
		return c.unchecked("%v", err)
	}
	return c.judgedBy(float64(n), "%s", text)
}

// runsOf returns the number of dumps that an archive was made from, or of files if one import read several.
func runsOf(s *reader.Store) (n uint64, text string, err error) {
	n = 1
	if s.Header().Flags&schema.FlagMerged != 0 {
		table, err := s.TableOrEmpty(schema.TableDumps)
		if err != nil {
			return 0, "", err
		}
		n = uint64(table.Rows)
	}
	account, err := facts.DescribeAccount(s)
	if account != nil && account.Read+account.Salvaged > n {
		n = account.Read + account.Salvaged
		return n, fmt.Sprintf("it was made from %d files", n), err
	}
	return n, "it is of " + cli.Amount(n, "dump"), err
}
