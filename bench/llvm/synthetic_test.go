package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProgramHasItsProportions checks the averages of the program. No two of its
// functions, nor of those that are looked up as misses, have the same name.
func TestProgramHasItsProportions(t *testing.T) {
	t.Parallel()
	const n = 300_000
	var f function
	names, bytes, counters, cold := map[string]bool{}, 0, 0, 0
	for i := range 2 * n {
		f.generate(i, 1)
		names[string(f.name)] = true
		bytes += len(f.name)
		counters += len(f.counts)
		if f.counts[0] == 0 {
			cold++
		}
	}
	if len(names) != 2*n {
		t.Errorf("%d names of %d functions", len(names), 2*n)
	}
	within(t, "bytes of a name", float64(bytes)/(2*n), 37, 39)
	within(t, "counters", float64(counters)/(2*n), 7.4, 7.6)
	within(t, "cold functions", float64(cold)/(2*n), 0.365, 0.375)
}

func within(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%s: %.3f, want %g to %g", what, got, low, high)
	}
}

// TestRunsDifferInCounts checks that two runs differ in their counts alone, and
// that a run is the same every time.
func TestRunsDifferInCounts(t *testing.T) {
	t.Parallel()
	differ := 0
	for i := range 1000 {
		var a, b, again function
		a.generate(i, 1)
		b.generate(i, 2)
		again.generate(i, 1)
		if diff := cmp.Diff(a, again, cmp.AllowUnexported(function{})); diff != "" {
			t.Fatal(diff)
		}
		if string(a.name) != string(b.name) || a.hash != b.hash || len(a.counts) != len(b.counts) || (a.counts[0] == 0) != (b.counts[0] == 0) {
			t.Fatalf("function %d is another one in another run", i)
		}
		if !cmp.Equal(a.counts, b.counts) {
			differ++
		}
	}
	if differ < 500 {
		t.Errorf("%d of 1000 functions differ", differ)
	}
}
