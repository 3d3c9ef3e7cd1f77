package benchcmd

import "testing"

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
