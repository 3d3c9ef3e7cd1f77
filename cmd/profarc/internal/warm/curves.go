package warm

import (
	"fmt"
	"io"
	"math"

	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/cli/paired"
)

const (
	mostPoints = 60 // points of a curve
	mostParts  = 20 // parts of a curve to compare with the base line
)

type namedCurve struct {
	Contender string       `json:"contender"`
	Each      int          `json:"units_a_point"`
	Points    warmup.Curve `json:"points"`
	Behind    *slowness    `json:"behind,omitempty"` // nil for the base line
}

// A slowness tells where a curve is slower than the base line. The confidences of the parts are such that all hold
// together.
type slowness struct {
	Parts     int     `json:"parts"`     // number of compared parts
	Slower    int     `json:"slower"`    // parts beyond the noise
	From      int     `json:"from_unit"` // first unit of the part with the highest ratio, from 1
	To        int     `json:"to_unit"`   // last unit of that part
	Estimate  float64 `json:"estimate"`  // ratio of that part
	Low       float64 `json:"low"`       // lower bound of its interval; 0 for too few rounds
	High      float64 `json:"high"`      // the same
	TooFewFor bool    `json:"too_few"`   // whether there are too few rounds for an interval
	Compared  int     `json:"rounds"`    // rounds with both curves
}

// addCurves adds the curves of all contenders and their measures, if runs of the base line have units with a duration.
func (r *report) addCurves() {
	length := r.shortestRun()
	peak := warmup.MedianCurve(r.unitsOf(r.Baseline, length), mostPoints).PeakNS()
	if length < 2 || peak == 0 {
		return
	}
	for _, c := range r.Contenders {
		if runs := r.unitsOf(c.Name, length); len(runs) > 0 {
			r.Curves = append(r.Curves, namedCurve{Contender: c.Name, Each: (length + mostPoints - 1) / mostPoints,
				Points: warmup.MedianCurve(runs, mostPoints), Behind: r.slowerParts(c.Name, length)})
		}
	}
	ofCurve := func(name string, of func(warmup.Curve) float64) {
		r.addMeasure(figure{name, "ns", func(x *record) float64 { return of(runCurve(x, length, mostPoints)) }})
	}
	ofCurve("unit at the peak", warmup.Curve.PeakNS)
	ofCurve("time to 90% of the base line's peak", func(c warmup.Curve) float64 {
		if ns, ok := c.ReachedNS(peak / warmup.NearPeak); ok || len(c) == 0 {
			return float64(ns)
		}
		return math.Inf(1)
	})
	for _, share := range percentiles {
		if float64(length)*(1-share) >= 1 { // otherwise no unit takes longer
			r.addMeasure(figure{fmt.Sprintf("p%g of the units", 100*share), "ns", func(x *record) float64 {
				return float64(warmup.Percentile(x.Units[:min(length, len(x.Units))], share))
			}})
		}
	}
	r.addMeasure(figure{"unit of the last tenth", "ns", func(x *record) float64 {
		last := runCurve(x, length, lateParts)
		if len(last) == 0 {
			return 0
		}
		return float64(last[len(last)-1].TimeNS)
	}})
}

// lateParts is the number of parts of a run. The last part is a measure.
const lateParts = 10

var percentiles = []float64{0.5, 0.99, 0.999}

// shortestRun returns the least number of units of a run with units, or 0.
func (r *report) shortestRun() (length int) {
	for _, x := range r.Records {
		if n := len(x.Units); x.Failure == "" && n > 0 && (length == 0 || n < length) {
			length = n
		}
	}
	return length
}

// unitsOf returns the first length units of each run of a contender with units.
func (r *report) unitsOf(contender string, length int) (runs [][]warmup.Unit) {
	for _, x := range r.Records {
		if x.Contender == contender && x.Failure == "" && len(x.Units) > 0 {
			runs = append(runs, x.Units[:length])
		}
	}
	return runs
}

func runCurve(x *record, length, points int) warmup.Curve {
	if len(x.Units) == 0 {
		return nil
	}
	return warmup.MedianCurve([][]warmup.Unit{x.Units[:length]}, points)
}

// slowerParts compares a curve with the base line in parts. It returns nil if there is nothing to compare.
func (r *report) slowerParts(contender string, length int) *slowness {
	each := (length + mostParts - 1) / mostParts
	b := &slowness{Parts: (length + each - 1) / each}
	within := 1 - (1-r.Confidence)/float64(b.Parts) // as Bonferroni
	for part := range b.Parts {
		of := func(x *record) float64 {
			if c := runCurve(x, length, mostParts); part < len(c) {
				return float64(c[part].TimeNS)
			}
			return 0
		}
		p, ok := paired.Compare(r.figureByRound(contender, of), r.figureByRound(r.Baseline, of), within)
		if !ok {
			continue
		}
		if p.Low > 1 {
			b.Slower++
		}
		if p.Estimate > b.Estimate {
			b.From = part*each + 1
			b.To = min(length, (part+1)*each)
			b.Estimate = p.Estimate
			b.Low = p.Low
			b.High = p.High
		}
		b.TooFewFor = p.Confidence == 0
		b.Compared = max(b.Compared, p.Pairs)
	}
	if contender == r.Baseline || b.Estimate == 0 { // 0: all parts took no time
		return nil
	}
	return b
}

// printCurves prints where curves are slower than the base line.
func (r *report) printCurves(w io.Writer) {
	if len(r.Curves) == 0 {
		return
	}
	fmt.Fprintf(w, "\ntime of %s, in the order of the run\n", cli.Amount(r.shortestRun(), "unit"))
	for _, c := range r.Curves {
		if c.Behind != nil {
			fmt.Fprintf(w, "  %s: %s\n", c.Contender, c.Behind.slownessText(r.Baseline))
		}
	}
}

func (b *slowness) slownessText(baseline string) string {
	switch {
	case b.TooFewFor:
		return fmt.Sprintf("at most %.2f of %s, in units %d to %d; too few rounds to tell", b.Estimate, baseline,
			b.From, b.To)
	case b.Slower == 0:
		return fmt.Sprintf("nowhere shown to be slower than %s; at most %.2f (%.2f to %.2f), in units %d to %d", baseline,
			b.Estimate, b.Low, b.High, b.From, b.To)
	}
	return fmt.Sprintf("slower than %s in %d of %d parts, most in units %d to %d: %.2f (%.2f to %.2f)", baseline,
		b.Slower, b.Parts, b.From, b.To, b.Estimate, b.Low, b.High)
}
