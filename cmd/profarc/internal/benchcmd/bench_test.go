package benchcmd

import "testing"

// TestVerdicts compares rows of two runs.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	steady := func(median float64) row {
		return row{Rounds: 9, Archive: figure{MedianNS: median, Q1NS: 0.99 * median, Q3NS: 1.01 * median}}
	}
	against := func(r row, x ratio) row { r.Ratio = &x; return r }
	few := steady(200)
	few.Rounds = 4
	for name, c := range map[string]struct {
		then, now   row
		by, verdict string
	}{
		"the same":             {steady(100), steady(100), "time", "same"},
		"as far as the spread": {steady(100), steady(103.9), "time", "same"},
		"slower":               {steady(100), steady(105), "time", "slower"},
		"faster":               {steady(100), steady(95), "time", "faster"},
		"few rounds":           {steady(100), few, "time", "unknown"},
		"nothing measured":     {steady(0), steady(100), "time", "unknown"},
		"a slower machine": {against(steady(100), ratio{0.5, 0.5, 0.5}), against(steady(200), ratio{0.51, 0.51, 0.51}),
			"ratio", "same"},
		"slower than the map": {against(steady(100), ratio{0.5, 0.5, 0.5}), against(steady(100), ratio{0.6, 0.6, 0.6}),
			"ratio", "slower"},
		"unsteady": {against(steady(100), ratio{0.5, 0.4, 0.6}), against(steady(100), ratio{0.6, 0.6, 0.6}), "ratio", "same"},
	} {
		if got := compareRows(&c.then, &c.now); got.By != c.by || got.Verdict != c.verdict {
			t.Errorf("%s: %+v, want %s by %s", name, got, c.verdict, c.by)
		}
	}
}

// TestHistogramHasEveryGroup counts the groups in all bins.
func TestHistogramHasEveryGroup(t *testing.T) {
	t.Parallel()
	for _, archive := range []samples{{0}, {5}, {5, 5, 5}, {0, 1, 10, 100, 1e6}} {
		groups, last := 0, 0.0
		for _, b := range histogram(archive, samples{3, 3}) {
			if groups += b.Archive; b.ToNS <= last {
				t.Errorf("%v: a bin up to %g after one up to %g", archive, b.ToNS, last)
			}
			last = b.ToNS
		}
		if groups != len(archive) {
			t.Errorf("%v: %d groups in the bins", archive, groups)
		}
	}
	if histogram(nil, samples{1}) != nil {
		t.Error("a histogram of nothing")
	}
}
