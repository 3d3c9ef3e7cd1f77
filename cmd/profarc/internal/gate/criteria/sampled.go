package criteria

import (
	"cmp"
	"math"
	"strings"

	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/sampling"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/reader"
)

// TooFew is the state of a criterion of samples whose interval contains the threshold.
const TooFew State = "too few samples"

// measureSamples sets the sample sizes, which stay zero for archives without sampling error.
func (j *judge) measureSamples() (err error) {
	j.size, err = compare.SampleSizeOf(j.ctx, j.whole)
	if base := j.evidence.Baseline; err == nil && base != nil {
		j.baseSize, err = compare.SampleSizeOf(j.ctx, base)
	}
	return err
}

func (j *judge) isSampled() bool { return j.size.Samples > 0 }

func (j *judge) areSampled() bool { return j.isSampled() && j.baseSize.Samples > 0 }

// bySamples decides a criterion of a least value by its interval. needs predicts the sizes that exclude the threshold.
func (j *judge) bySamples(c Criterion, i sampling.Interval,
	needs func(bound float64) (sampling.Needs, bool)) Criterion {
	if c.Value == nil || c.State == Unchecked {
		return c
	}
	c.Interval = &i
	switch {
	case c.State == Off:
	case i.Low >= c.Threshold:
		c.State = Passed
	case i.High < c.Threshold:
		c.State = Failed
	default:
		c.State = TooFew
		n, ok := needs(c.Threshold)
		more := j.adviseMore(&c, n, ok)
		c.Reason = "too few samples: " + more + "; " + c.Reason
		c.Advice = "sample for longer: " + more
	}
	return c
}

// adviseMore returns how much longer the runs must be, and sets it.
func (j *judge) adviseMore(c *Criterion, needs sampling.Needs, ok bool) string {
	if !ok {
		return "more than a thousand times as many, so choose a threshold that is farther from the value"
	}
	more := func(n float64, of compare.SampleSize) (samples float64, text string) {
		samples = roundUp(max(1, n-of.Samples))
		if of.PerSecond > 0 {
			return samples, "about " + cli.Amount(int(roundUp(samples/of.PerSecond)), "more second")
		}
		return samples, "about " + cli.Amount(int(samples), "more sample")
	}
	text := ""
	if needs.M > j.size.Samples {
		c.MoreSamples, text = more(needs.M, j.size)
	}
	if j.size.PerSecond > 0 {
		c.MoreSeconds = roundUp(c.MoreSamples / j.size.PerSecond)
	}
	if needs.N <= j.baseSize.Samples {
		return text
	}
	_, ofBase := more(needs.N, j.baseSize)
	return strings.TrimPrefix(text+", and for the baseline "+ofBase, ", and ")
}

// roundUp rounds to two digits.
func roundUp(n float64) float64 {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(max(n, 1)))-1))
	return math.Ceil(n/unit-1e-9) * unit
}

// shareBySamples decides a criterion of a share of all samples.
func (j *judge) shareBySamples(c Criterion) Criterion {
	if !j.isSampled() || c.Value == nil {
		return c
	}
	share := *c.Value
	return j.bySamples(c, sampling.Share(share, j.size.Samples), func(bound float64) (sampling.Needs, bool) {
		n := sampling.ShareNeeds(share, bound)
		return sampling.Needs{M: max(n, 1.5*j.size.Samples)}, n < 1000*j.size.Samples
	})
}

// coverageBySamples decides a criterion of methods that a short run may not meet.
func (j *judge) coverageBySamples(c Criterion, p *sampling.Pair, byNumber bool) Criterion {
	if !j.areSampled() {
		return c
	}
	return j.bySamples(c, p.Coverage(byNumber).Interval, func(bound float64) (sampling.Needs, bool) {
		return p.CoverageNeeds(byNumber, bound)
	})
}

func (j *judge) newPair() sampling.Pair {
	return sampling.Pair{N: j.baseSize.Samples, M: j.size.Samples}
}

// addMethod adds a method with counts in the baseline.
func (j *judge) addMethod(p *sampling.Pair, was, is weigh.Counts, weight float64) {
	if j.areSampled() {
		p.AddWeighted(shareOfSamples(was, j.baseSize), shareOfSamples(is, j.size), weight)
	}
}

// shareOfSamples returns the share of the samples that show a method, at the end of the stack or as a caller.
func shareOfSamples(n weigh.Counts, of compare.SampleSize) float64 {
	if n == (weigh.Counts{}) {
		return 0
	}
	calls := float64(n[schema.UnitExecutions]) / max(of.Calls, 1)
	return min(1, max(float64(n[of.Unit])/of.Total, calls, 1/of.Samples))
}

// breadthBySamples lets a short run pass later. Chao's estimate of the methods that it did not meet is f1²/(2 f2), with
// f1 and f2 methods of one and two samples.
func (j *judge) breadthBySamples(c Criterion) Criterion {
	if !j.isSampled() || c.State != Failed {
		return c
	}
	var met [3]float64
	err := poll.Each(poll.New(j.ctx), j.whole.Methods(), func(m reader.Method) error {
		n, err := countsOf(j.whole, m)
		if samples := math.Round(shareOfSamples(n, j.size) * j.size.Samples); samples < 3 {
			met[int(samples)]++
		}
		return err
	})
	if err != nil {
		return c.unchecked("%v", err)
	}
	unmet := met[1] * max(0, met[1]-1) / (2 * (met[2] + 1))
	i := sampling.Interval{Low: *c.Value, High: *c.Value + unmet + 2*math.Sqrt(unmet)}
	return j.bySamples(c, i, func(bound float64) (sampling.Needs, bool) {
		left := 1 - (bound-*c.Value)/max(unmet, 1)
		return sampling.Needs{M: j.size.Samples * (1 - unmet/met[1]*math.Log(left))}, left > 0
	})
}

// growthBySamples judges how many more methods the archive has than the baseline. Longer sampling makes a file larger
// and meets further methods. So the larger archive counts the methods that as many samples as the other's would meet.
func (j *judge) growthBySamples(c Criterion) Criterion {
	samples := min(j.size.Samples, j.baseSize.Samples)
	was, errWas := j.methodsIn(j.evidence.Baseline, j.baseSize, samples)
	is, errIs := j.methodsIn(j.whole, j.size, samples)
	if err := cmp.Or(errWas, errIs); err != nil {
		return c.unchecked("%v", err)
	}
	return c.judgedBy(is/max(was, 1), "%.0f samples meet about %.0f methods, of %s %.0f", samples, is,
		j.evidence.BaselineName, was)
}

// methodsIn estimates how many methods some of the samples of an archive meet.
func (j *judge) methodsIn(s *reader.Store, of compare.SampleSize, samples float64) (n float64, err error) {
	err = poll.Each(poll.New(j.ctx), s.Methods(), func(m reader.Method) error {
		counts, err := countsOf(s, m)
		n += 1 - math.Pow(1-samples/of.Samples, shareOfSamples(counts, of)*of.Samples) // all others are of the rest
		return err
	})
	return n, err
}
