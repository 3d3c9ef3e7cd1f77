package warmup

import (
	"math"
	"testing"
)

// falling returns units that take 100 ns at first and each a little less, down to 10.
func falling(n int, less int64) []Unit {
	var units []Unit
	end := int64(0)
	for i := range int64(n) {
		took := max(10, 100-i*less)
		end += took
		units = append(units, Unit{EndNS: end, TimeNS: took})
	}
	return units
}

func TestCurvesFindThePeak(t *testing.T) {
	t.Parallel()
	slow, fast := Curve(falling(40, 5)), Curve(falling(40, 10))
	if slow.PeakNS() != 10 || fast.PeakNS() != 10 || fast.LastNS() != 10 {
		t.Fatalf("peaks %v, %v", slow.PeakNS(), fast.PeakNS())
	}
	a, b := slow.ReachedNS(10/NearPeak), fast.ReachedNS(10/NearPeak)
	if a != float64(slow[18].EndNS) || b != float64(fast[9].EndNS) {
		t.Errorf("reached at %v and %v", a, b)
	}
	if at := slow.ReachedNS(9); !math.IsInf(at, 1) {
		t.Errorf("it was faster than its peak at %v", at)
	}
	if c := Curve(nil); c.PeakNS() != 0 || c.LastNS() != 0 || c.ReachedNS(1) != 0 {
		t.Error("no units have a peak")
	}
}

// TestOneLuckyUnitIsNoPeak: windows of 30 units are of 3.
func TestOneLuckyUnitIsNoPeak(t *testing.T) {
	t.Parallel()
	c := Curve(falling(30, 0))
	c[12].TimeNS = 10
	if got := c.PeakNS(); got != 70 {
		t.Errorf("the peak is %v", got)
	}
	c[29].TimeNS = 400
	if got := c.LastNS(); got != 200 {
		t.Errorf("the last tenth takes %v", got)
	}
}

func TestPercentile(t *testing.T) {
	units := make([]Unit, 1000)
	for i := range units {
		units[i].TimeNS = int64((i*7)%1000 + 1) // each of 1 to 1,000 once
	}
	for share, want := range map[float64]int64{0.5: 500, 0.99: 990, 0.999: 999, 1: 1000, 0: 1} {
		if got := Curve(units).Percentile(share); got != want {
			t.Errorf("%g: %d, want %d", share, got, want)
		}
	}
	if got := Curve(nil).Percentile(0.5); got != 0 {
		t.Errorf("%d of no units", got)
	}
}
