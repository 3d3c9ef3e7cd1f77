package criteria

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/sampling"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// judgeCoverage judges which share of the baseline's hot counts is in methods that have counts in the archive. Methods
// that the program no longer has are left out.
func (j *judge) judgeCoverage() Criterion {
	c := Criterion{Name: "coverage", Bound: Least, Threshold: j.limits.Coverage, Unit: UnitShare}
	if c, ok := j.withCountsOfBaseline(c); !ok {
		return c
	}
	h, err := j.hotMethods()
	switch {
	case err != nil:
		return c.unchecked("%v", err)
	case h.goneWeight > h.total:
		c = c.unchecked("the program has %s no more that had most of the hot counts of the baseline",
			cli.Amount(h.gone, j.inTerms("method")))
		c.Advice = j.names().Replace(adviceToAdapt + " To let it pass: --allow-unchecked coverage")
		return c
	case h.total == 0:
		return c.unchecked("the baseline has no counts")
	}
	c = c.judgedBy(h.covered/h.total, "%s", h.coverageText(j.inTerms("methods")))
	return j.coverageBySamples(c, &h.samples, false)
}

// adviceToAdapt is for programs in which hot methods have other names than in the baseline.
const adviceToAdapt = "if methods were renamed, judge by a baseline that follows: profarc check BASELINE --against CODE " +
	"--rewrite RESULT, then --baseline RESULT."

// withCountsOfBaseline is withBaseline for criteria that compare counts, and so need one domain.
func (j *judge) withCountsOfBaseline(c Criterion) (Criterion, bool) {
	c, ok := j.withBaseline(c)
	if !ok {
		return c, false
	}
	if of, as := j.s.Header().Domain, j.evidence.Baseline.Header().Domain; of != as {
		return c.unchecked("it is of domain %s, the baseline of %s", of, as), false
	}
	if err := entries.CheckSampleTypes(j.s, j.evidence.Baseline); err != nil {
		return c.unchecked("%v", err), false
	}
	return c, true
}

type hotSum struct {
	methods, gone, missing int
	lambdas                int     // hidden classes among gone
	total, covered         float64 // total weights, without methods that are gone
	goneWeight             float64
	worst                  string // name of the heaviest method without counts
	worstWeight            float64
	samples                sampling.Pair // hot methods of sampled archives
}

// coverageText describes the coverage of the baseline's hot methods or functions.
func (h *hotSum) coverageText(methods string) string {
	text := fmt.Sprintf("%d of %d hot %s of the baseline have counts", h.methods-h.missing, h.methods, methods)
	if n := h.gone - h.lambdas; n > 0 {
		text += fmt.Sprintf(", without %d that the program has no more", n)
	}
	if h.lambdas > 0 {
		text += fmt.Sprintf(", without %d of lambdas or other hidden classes, which have new names in each run", h.lambdas)
	}
	if h.worst != "" {
		text += "; the heaviest without is " + h.worst
	}
	return text
}

func (j *judge) hotMethods() (h hotSum, err error) {
	base := j.evidence.Baseline
	h.samples = j.newPair()
	weights, err := weigh.Methods(j.ctx, base)
	if err != nil {
		return h, err
	}
	seen := map[layout.Ref]bool{}
	steps := poll.New(j.ctx)
	weights.EachNeeded(j.limits.Hot, func(ref layout.Ref) {
		if seen[ref] || err != nil {
			return
		}
		seen[ref] = true
		m, errAt := base.MethodAt(ref)
		err = cmp.Or(errAt, steps.Err())
		if err == nil {
			err = j.addHotMethod(&h, weights, m)
		}
	})
	return h, err
}

func (j *judge) addHotMethod(h *hotSum, weights *weigh.Weights, m reader.Method) error {
	was, is, gone, err := j.countsOfBoth(m)
	if err != nil {
		return err
	}
	weight := weightShare(was, weights)
	if gone {
		k, err := m.Key()
		h.gone++
		h.goneWeight += weight
		if javanames.IsNumbered(k.Class) || strings.Contains(k.Class, "@") {
			h.lambdas++
		}
		return err
	}
	j.addMethod(&h.samples, was, is, weight)
	h.methods++
	h.total += weight
	if is != (weigh.Counts{}) {
		h.covered += weight
		return nil
	}
	if h.missing++; weight > h.worstWeight {
		name, err := analyze.NameOf(j.evidence.Baseline, m)
		h.worst = name.Spelled()
		h.worstWeight = weight
		return err
	}
	return nil
}

// countsOfBoth returns the counts of a method in the baseline and in the archive. gone reports that the program lacks
// the method.
func (j *judge) countsOfBoth(m reader.Method) (was, is weigh.Counts, gone bool, err error) {
	k, err := m.Key()
	if err == nil {
		was, err = countsOf(j.evidence.Baseline, m)
	}
	if err != nil || j.evidence.Lacks != nil && j.evidence.Lacks(k) {
		return was, is, err == nil, err
	}
	found, err := j.whole.Find(k)
	if errors.Is(err, reader.ErrNotFound) {
		return was, is, false, nil
	}
	if err == nil {
		is, err = countsOf(j.whole, found)
	}
	return was, is, false, err
}

// weightShare returns the shares of the counts of a method in all units, added up.
func weightShare(n weigh.Counts, weights *weigh.Weights) (share float64) {
	for _, u := range weights.Units() {
		share += float64(n[u]) / weights.Total(u).Float()
	}
	return share
}

func countsOf(s *reader.Store, m reader.Method) (n weigh.Counts, err error) {
	scale := weigh.ScaleOf(s)
	for p := range poll.Values(m.Profiles(), &err) {
		n.Add(scale.Weight(p))
	}
	return n, err
}

// judgeSpread judges the share of the baseline's methods with counts that have counts in the archive. It is low for an
// idle program, which counts in few loops, and for another program.
func (j *judge) judgeSpread() Criterion {
	c := Criterion{Name: "spread", Bound: Least, Threshold: j.limits.Spread, Unit: UnitShare}
	c, ok := j.withCountsOfBaseline(c)
	if !ok {
		return c
	}
	samples := j.newPair()
	both, all, err := j.countedMethods(&samples)
	switch {
	case err != nil:
		return c.unchecked("%v", err)
	case all == 0:
		return c.unchecked("%s", j.inTerms("the program has no method with counts of the baseline"))
	}
	c = c.judgedBy(float64(both)/float64(all), j.inTerms("%d of %d methods with counts in the baseline have counts"), both,
		all)
	c = j.coverageBySamples(c, &samples, true)
	if c.State == Failed {
		c.Reason += ": the program was idle, or it is another one"
	}
	return c
}

// countedMethods counts the baseline's methods with counts that the program still has, and how many of these have
// counts in the archive.
func (j *judge) countedMethods(samples *sampling.Pair) (both, all int, err error) {
	err = poll.Each(poll.New(j.ctx), j.evidence.Baseline.Methods(), func(m reader.Method) error {
		was, is, gone, err := j.countsOfBoth(m)
		if err != nil || gone || was == (weigh.Counts{}) {
			return err
		}
		j.addMethod(samples, was, is, 1)
		all++
		if is != (weigh.Counts{}) {
			both++
		}
		return nil
	})
	return both, all, err
}
