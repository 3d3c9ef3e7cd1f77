package warmup

import (
	"math"
	"slices"
)

// A Curve has the units of one run in order.
type Curve []Unit

// Percentile returns the least time that a share of the units do not exceed, or 0 without units.
func (c Curve) Percentile(share float64) (ns int64) {
	if len(c) == 0 {
		return 0
	}
	times := make([]int64, len(c))
	for i, u := range c {
		times[i] = u.TimeNS
	}
	slices.Sort(times)
	return times[max(0, int(math.Ceil(share*float64(len(times))))-1)]
}

// windowAverages returns the mean time of each window, by first unit. A window is a tenth of the run, so that one lucky
// unit is no peak.
func (c Curve) windowAverages() []float64 {
	w := max(1, len(c)/10)
	var all []float64
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

// PeakNS returns the time of a unit at the peak, which is the least average of a window. It returns 0 without units.
func (c Curve) PeakNS() float64 {
	if len(c) == 0 {
		return 0
	}
	return slices.Min(c.windowAverages())
}

// LastNS returns the time of a unit at the end, which is the average of the last window. It returns 0 without units.
func (c Curve) LastNS() float64 {
	if len(c) == 0 {
		return 0
	}
	all := c.windowAverages()
	return all[len(all)-1]
}

// ReachedNS returns the end of the first unit of the first window whose mean time is at most unitNS. It returns
// infinity if there is no such window, and 0 without units.
func (c Curve) ReachedNS(unitNS float64) float64 {
	for i, average := range c.windowAverages() {
		if average <= unitNS {
			return float64(c[i].EndNS)
		}
	}
	if len(c) == 0 {
		return 0
	}
	return math.Inf(1)
}

// NearPeak is the share of the peak's rate at which a program counts as warm.
const NearPeak = 0.9
