package warmup

import "testing"

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
	slow, fast := MedianCurve([][]Unit{falling(40, 5)}, 100), MedianCurve([][]Unit{falling(40, 10)}, 100)
	if slow.PeakNS() != 10 || fast.PeakNS() != 10 || len(slow) != 40 {
		t.Fatalf("peaks %v, %v of %d points", slow.PeakNS(), fast.PeakNS(), len(slow))
	}
	a, ok1 := slow.ReachedNS(10 / NearPeak)
	b, ok2 := fast.ReachedNS(10 / NearPeak)
	if !ok1 || !ok2 || a != slow[18].EndNS || b != fast[9].EndNS {
		t.Errorf("reached at %d and %d: %v, %v", a, b, ok1, ok2)
	}
	if _, ok := slow.ReachedNS(9); ok {
		t.Error("it was faster than its peak")
	}
	if c := MedianCurve(nil, 100); c.PeakNS() != 0 || len(c) != 0 {
		t.Errorf("no runs have %v", c)
	}
}

func TestCurvesAreMedians(t *testing.T) {
	t.Parallel()
	runs := [][]Unit{falling(10, 0), falling(11, 9), falling(12, 9)}
	runs[0][3].TimeNS = 1e9 // one wild unit
	c := MedianCurve(runs, 100)
	if len(c) != 10 || c[3] != runs[1][3] {
		t.Errorf("%+v", c)
	}
	c = MedianCurve(runs, 4) // of three units each
	if want := (Unit{EndNS: 273, TimeNS: 91}); len(c) != 4 || c[0] != want {
		t.Errorf("%+v", c)
	}
}

func TestPercentile(t *testing.T) {
	units := make([]Unit, 1000)
	for i := range units {
		units[i].TimeNS = int64((i*7)%1000 + 1) // each of 1 to 1,000 once
	}
	for share, want := range map[float64]int64{0.5: 500, 0.99: 990, 0.999: 999, 1: 1000, 0: 1} {
		if got := Percentile(units, share); got != want {
			t.Errorf("%g: %d, want %d", share, got, want)
		}
	}
	if got := Percentile(nil, 0.5); got != 0 {
		t.Errorf("%d of no units", got)
	}
}
