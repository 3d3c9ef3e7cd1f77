package warm

import (
	"math"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/warm/paired"
	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
)

const (
	mostPoints = 60 // of a curve
	mostParts  = 20 // in which a curve is compared with the base line's
)

// A namedCurve is the median curve of a contender.
type namedCurve struct {
	Contender string       `json:"contender"`
	Each      int          `json:"units_a_point"`
	Points    warmup.Curve `json:"points"`
	Behind    *behind      `json:"behind,omitempty"` // nil for the base line
}

// A behind says where a curve is slower than the base line's. Each part has an interval of
// such a confidence that all hold together with that asked for.
type behind struct {
	Parts     int     `json:"parts"`     // that were compared
	Slower    int     `json:"slower"`    // parts beyond the noise
	From      int     `json:"from_unit"` // of the part with the highest ratio, from 1
	To        int     `json:"to_unit"`   // and its last unit
	Estimate  float64 `json:"estimate"`  // its ratio
	Low       float64 `json:"low"`       // and interval, 0 for too few rounds
	High      float64 `json:"high"`      // the same
	TooFewFor bool    `json:"too_few"`   // rounds for intervals
	Compared  int     `json:"rounds"`    // with both curves
}

// A curveSet has the curves of all runs of a contender, by round, all of one length.
type curveSet struct {
	name   string
	rounds map[int][]warmup.Unit
}

// addCurves adds the measures of the curves, if the runs have units.
func (r *report) addCurves() {
	length, sets := r.curveSets()
	if length < 2 {
		return
	}
	base := sets[slices.IndexFunc(sets, func(s curveSet) bool { return s.name == r.Baseline })]
	peaks, reached := measure{Name: "unit at the peak", Unit: "ns"},
		measure{Name: "time to 90% of the base line's peak", Unit: "ns"}
	for _, set := range sets {
		points := (length + mostPoints - 1) / mostPoints
		named := namedCurve{Contender: set.name, Each: points, Points: warmup.MedianCurve(set.all(), mostPoints)}
		if set.name != base.name {
			named.Behind = r.behind(set, base, length)
		}
		r.Curves = append(r.Curves, named)
		peaks.Rows = append(peaks.Rows, r.curveRow(set, base, func(c, _ warmup.Curve) float64 { return c.PeakNS() }))
		reached.Rows = append(reached.Rows, r.curveRow(set, base, reachedNS))
	}
	r.Measures = append(r.Measures, peaks, reached)
}

// reachedNS returns when a curve has 90% of the rate of the base line's peak, infinity if it never has.
func reachedNS(c, base warmup.Curve) float64 {
	if ns, ok := c.ReachedNS(base.PeakNS() / warmup.NearPeak); ok {
		return float64(ns)
	}
	return math.Inf(1)
}

// curveSets returns the curves of all contenders whose runs have units, cut to the shortest. It
// returns none without the base line's.
func (r *report) curveSets() (length int, sets []curveSet) {
	for _, c := range r.Contenders {
		set := curveSet{c.Name, map[int][]warmup.Unit{}}
		for _, x := range r.Records {
			if n := len(x.Units); x.Contender == c.Name && x.Failure == "" && n > 0 {
				if set.rounds[x.Round] = x.Units; length == 0 || n < length {
					length = n
				}
			}
		}
		if len(set.rounds) > 0 {
			sets = append(sets, set)
		} else if c.Name == r.Baseline {
			return 0, nil
		}
	}
	for _, set := range sets {
		for round, units := range set.rounds {
			set.rounds[round] = units[:length]
		}
	}
	return length, sets
}

// all returns the curves in the order of the rounds.
func (s curveSet) all() (all [][]warmup.Unit) {
	for round := range maxRound(s) + 1 {
		if units := s.rounds[round]; units != nil {
			all = append(all, units)
		}
	}
	return all
}

func maxRound(s curveSet) (last int) {
	for round := range s.rounds {
		last = max(last, round)
	}
	return last
}

// both returns the curves of the rounds that two sets share, joined to so many points.
func both(a, b curveSet, points int) (as, bs [][]warmup.Unit) {
	for round := range maxRound(a) + 1 {
		if x, y := a.rounds[round], b.rounds[round]; x != nil && y != nil {
			as = append(as, warmup.MedianCurve([][]warmup.Unit{x}, points))
			bs = append(bs, warmup.MedianCurve([][]warmup.Unit{y}, points))
		}
	}
	return as, bs
}

// curveRow returns a figure of a median curve, which may need the base line's. The range is
// the range of the curves of single runs.
func (r *report) curveRow(set, base curveSet, figure func(c, base warmup.Curve) float64) row {
	baseCurve := warmup.MedianCurve(base.all(), mostPoints)
	x := row{Contender: set.name, Runs: len(set.rounds),
		Median: figure(warmup.MedianCurve(set.all(), mostPoints), baseCurve)}
	var single []float64
	for _, units := range set.all() {
		if v := figure(warmup.MedianCurve([][]warmup.Unit{units}, mostPoints), baseCurve); !math.IsInf(v, 0) {
			single = append(single, v)
		}
	}
	if math.IsInf(x.Median, 0) {
		return row{Contender: x.Contender, Runs: x.Runs, Never: true}
	}
	x.Least, x.Most = x.Median, x.Median
	if len(single) > 0 {
		x.Least, x.Most = slices.Min(single), slices.Max(single)
	}
	if set.name != base.name {
		x.Ratio = r.curveRatio(set, base, x.Median, figure)
	}
	return x
}

// curveRatio returns the ratio of figures of two median curves, with a bootstrap interval: rounds are
// drawn for both alike.
func (r *report) curveRatio(set, base curveSet, of float64, figure func(c, base warmup.Curve) float64) *ratio {
	as, bs := both(set, base, mostPoints)
	draw := func(drawn []int) float64 {
		a, b := make([][]warmup.Unit, len(drawn)), make([][]warmup.Unit, len(drawn))
		for k, i := range drawn {
			a[k], b[k] = as[i], bs[i]
		}
		ca, cb := warmup.MedianCurve(a, mostPoints), warmup.MedianCurve(b, mostPoints)
		return figure(ca, cb) / figure(cb, cb)
	}
	baseCurve := warmup.MedianCurve(base.all(), mostPoints)
	p := paired.Ratio{Pairs: len(as), Estimate: of / figure(baseCurve, baseCurve)}
	if math.IsNaN(p.Estimate) || math.IsInf(p.Estimate, 0) {
		return nil // the program says of units that they took no time
	}
	if len(as) < paired.LeastPairs(r.Confidence) {
		return &ratio{p, "bootstrap", verdictUnknown}
	}
	i, ok := paired.Bootstrap(len(as), r.Confidence, draw)
	if !ok {
		return &ratio{p, "bootstrap", verdictRarely}
	}
	p.Low, p.High, p.Confidence = i.Low, i.High, r.Confidence
	return &ratio{p, "bootstrap", verdictOf(p)}
}

// behind compares a curve with the base line's part by part.
func (r *report) behind(set, base curveSet, length int) *behind {
	as, bs := both(set, base, mostParts)
	if len(as) == 0 {
		return nil
	}
	parts, each := len(as[0]), (length+mostParts-1)/mostParts
	b := &behind{Parts: parts, Compared: len(as)}
	within := 1 - (1-r.Confidence)/float64(parts) // as Bonferroni
	for part := range parts {
		p, ok := paired.Compare(partOf(as, part), partOf(bs, part), within)
		if !ok {
			continue
		}
		if p.Low > 1 {
			b.Slower++
		}
		if p.Estimate > b.Estimate {
			b.From, b.To, b.Estimate, b.Low, b.High = part*each+1, min(length, (part+1)*each), p.Estimate, p.Low, p.High
		}
		b.TooFewFor = p.Confidence == 0
	}
	if b.Estimate == 0 { // all parts took no time
		return nil
	}
	return b
}

// partOf returns the times of one part of all curves.
func partOf(curves [][]warmup.Unit, part int) []float64 {
	times := make([]float64, len(curves))
	for i, c := range curves {
		times[i] = float64(c[part].TimeNS)
	}
	return times
}
