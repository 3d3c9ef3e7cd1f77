package warmup

import (
	"math"
	"slices"
)

// A Curve holds the units of one run, or the medians of several runs, in order.
type Curve []Unit

// MedianCurve returns the medians of the n-th units of several runs. It ends with the shortest run, and averages
// consecutive units so that it has at most most points.
func MedianCurve(runs [][]Unit, most int) Curve {
	length := 0
	for i, units := range runs {
		if i == 0 || len(units) < length {
			length = len(units)
		}
	}
	if length == 0 || most <= 0 {
		return nil
	}
	each := (length + most - 1) / most
	joined := make([]Curve, len(runs))
	for i, units := range runs {
		joined[i] = joinUnits(units[:length], each)
	}
	curve := make(Curve, len(joined[0]))
	column := make([]int64, len(runs))
	median := func(i int, figure func(Unit) int64) int64 {
		for k := range joined {
			column[k] = figure(joined[k][i])
		}
		slices.Sort(column)
		return (column[(len(column)-1)/2] + column[len(column)/2]) / 2
	}
	for i := range curve {
		curve[i] = Unit{
			median(i, func(u Unit) int64 { return u.EndNS }),
			median(i, func(u Unit) int64 { return u.TimeNS }),
		}
	}
	return curve
}

// joinUnits replaces each group of each units by one unit, with the end of the last and the mean time.
func joinUnits(units []Unit, each int) Curve {
	var joined Curve
	for some := range slices.Chunk(units, each) {
		u := Unit{EndNS: some[len(some)-1].EndNS}
		for _, s := range some {
			u.TimeNS += s.TimeNS
		}
		u.TimeNS /= int64(len(some))
		joined = append(joined, u)
	}
	return joined
}

// Percentile returns the least time that a share of the units do not exceed, or 0 without units.
func Percentile(units []Unit, share float64) (ns int64) {
	if len(units) == 0 {
		return 0
	}
	times := make([]int64, len(units))
	for i, u := range units {
		times[i] = u.TimeNS
	}
	slices.Sort(times)
	return times[max(0, int(math.Ceil(share*float64(len(times))))-1)]
}

// windowLength returns the number of points to average, so that one lucky unit is no peak.
func (c Curve) windowLength() int { return max(1, min(len(c)/10, 10)) }

// windowAverages returns the mean of each window, by first point.
func (c Curve) windowAverages() []float64 {
	w := c.windowLength()
	if len(c) == 0 {
		return nil
	}
	all := make([]float64, 0, len(c)-w+1)
	sum := int64(0)
	for i := range c {
		if sum += c[i].TimeNS; i >= w {
			sum -= c[i-w].TimeNS
		}
		if i >= w-1 {
			all = append(all, float64(sum)/float64(w))
		}
	}
	return all
}

// PeakNS returns the time of a unit at the peak, which is the least average of a window. A window is a tenth of the
// curve, at most ten points. It returns 0 for an empty curve.
func (c Curve) PeakNS() float64 {
	if len(c) == 0 {
		return 0
	}
	return slices.Min(c.windowAverages())
}

// ReachedNS returns the end of the first unit of the first window whose mean time is at most unitNS, if there is such a
// window.
func (c Curve) ReachedNS(unitNS float64) (ns int64, ok bool) {
	for i, average := range c.windowAverages() {
		if average <= unitNS {
			return c[i].EndNS, true
		}
	}
	return 0, false
}

// NearPeak is the share of the peak's rate at which a program counts as warm.
const NearPeak = 0.9
