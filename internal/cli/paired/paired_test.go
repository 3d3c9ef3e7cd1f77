package paired

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCriticalValues compares the distribution with the printed tables of the signed-rank
// test (two-sided, 0.05 and 0.01): the largest sum that is significant.
func TestCriticalValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pairs, five, one int }{
		{5, -1, -1}, {6, 0, -1}, {7, 2, -1}, {8, 3, 0}, {9, 5, 1}, {10, 8, 3}, {12, 13, 7}, {15, 25, 15}, {20, 52, 37},
		{25, 89, 68}, {30, 137, 109},
	} {
		for confidence, want := range map[float64]int{0.95: c.five, 0.99: c.one} {
			if cut, attained := intervalCut(c.pairs, confidence); cut-1 != want || cut > 0 && attained < confidence {
				t.Errorf("%d pairs, confidence %v: critical value %d with %v, want %d", c.pairs, confidence, cut-1, attained, want)
			}
		}
	}
}

// TestKnownExample compares with a worked example of Hollander and Wolfe (1973, p. 29), the
// depression scale of nine patients: T = 40, p = 0.0391 on both sides.
func TestKnownExample(t *testing.T) {
	t.Parallel()
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	var differences, a, b []float64
	for i := range x {
		differences = append(differences, x[i]-y[i])
		a, b = append(a, math.Exp(x[i])), append(b, math.Exp(y[i]))
	}
	if p := signedRankP(differences); math.Abs(p-0.0390625) > 1e-12 {
		t.Errorf("p is %v", p)
	}
	r, ok := Compare(a, b, 0.95)
	if !ok || r.Pairs != 9 || math.Abs(math.Log(r.Estimate)-0.46) > 1e-9 || math.Abs(math.Log(r.Low)-0.01) > 1e-9 ||
		math.Abs(math.Log(r.High)-0.786) > 1e-9 {
		t.Errorf("%+v, in logarithms %v from %v to %v", r, math.Log(r.Estimate), math.Log(r.Low), math.Log(r.High))
	}
	if !r.Differs() || math.Abs(r.P-0.0390625) > 1e-12 {
		t.Errorf("differs %v, p %v", r.Differs(), r.P)
	}
}

// TestTiesAreExact compares with all signs of a sample with ties.
func TestTiesAreExact(t *testing.T) {
	t.Parallel()
	x := []float64{1, -1, 2, 2, 2, -3, 4, 4, 5, 0}
	ranks := []float64{1.5, 1.5, 4, 4, 4, 6, 7.5, 7.5, 9}
	const sum, all = 1.5 + 4 + 4 + 4 + 7.5 + 7.5 + 9, 45
	asFar, every := 0, 1<<len(ranks)
	for signs := range every {
		s := 0.0
		for i, r := range ranks {
			if signs>>i&1 == 1 {
				s += r
			}
		}
		if math.Abs(s-all/2.0) >= sum-all/2.0 {
			asFar++
		}
	}
	if p, want := signedRankP(x), float64(asFar)/float64(every); math.Abs(p-want) > 1e-12 {
		t.Errorf("p is %v, want %v", p, want)
	}
}

func TestFewOrBadPairs(t *testing.T) {
	t.Parallel()
	if _, ok := Compare([]float64{0, math.NaN(), math.Inf(1), -1}, []float64{1, 1, 1, 1}, 0.95); ok {
		t.Error("figures without a ratio were compared")
	}
	r, ok := Compare([]float64{2, 4, 6, 0}, []float64{1, 2, 3, 1}, 0.95)
	if !ok || r.Pairs != 3 || math.Abs(r.Estimate-2) > 1e-12 || r.Confidence != 0 || r.Differs() {
		t.Errorf("%+v, of three pairs", r)
	}
	if same, _ := Compare([]float64{1, 2, 3}, []float64{1, 2, 3}, 0.95); same.P != 1 || same.Estimate != 1 {
		t.Errorf("the same figures give %+v", same)
	}
	if n := LeastPairs(0.95); n != 6 {
		t.Errorf("95 %% takes %d pairs", n)
	}
}

// TestIntervalsHoldTheirConfidence draws pairs on a machine whose speed drifts, with a true
// ratio, and counts how often the interval holds it.
func TestIntervalsHoldTheirConfidence(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const trials, truth = 2000, 0.93
	held := 0
	for range trials {
		var a, b []float64
		for round := range 15 {
			speed := 1 + 0.3*math.Sin(float64(round))
			a = append(a, truth*speed*math.Exp(0.05*random.NormFloat64()))
			b = append(b, speed*math.Exp(0.05*random.NormFloat64()))
		}
		if r, _ := Compare(a, b, 0.95); r.Low <= truth && truth <= r.High {
			held++
		}
	}
	if share := float64(held) / trials; share < 0.94 || share > 0.965 {
		t.Errorf("%v of the intervals hold the ratio", share)
	}
}

// TestIntervalOfAMedian compares with the tables of the sign test, and counts how often the interval has the median.
func TestIntervalOfAMedian(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		values, cut int // cut: values below the interval
		attained    float64
	}{{1, 0, 0}, {2, 0, 0.5}, {3, 0, 0.75}, {5, 0, 0.9375}, {6, 0, 0.96875}, {9, 1, 0.9609375}, {15, 3, 0.96484375},
		{20, 5, 0.95861053}} {
		x := make([]float64, c.values)
		for i := range x {
			x[i] = float64(i)
		}
		low, high, attained := MedianInterval(x, 0.95)
		if low != float64(c.cut) || high != float64(c.values-1-c.cut) || math.Abs(attained-c.attained) > 1e-8 {
			t.Errorf("%d values: %v to %v with %v, want %d values less with %v", c.values, low, high, attained, c.cut,
				c.attained)
		}
		const trials = 20_000
		within := 0
		for range trials {
			for i := range x {
				x[i] = math.Exp(random.NormFloat64()) // its median is 1
			}
			if low, high, _ := MedianInterval(x, 0.95); low <= 1 && 1 <= high {
				within++
			}
		}
		if share := float64(within) / trials; math.Abs(share-c.attained) > 0.01 {
			t.Errorf("%d values: the median is in %v of the intervals, want %v", c.values, share, c.attained)
		}
	}
}
