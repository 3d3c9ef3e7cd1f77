package gate

import "testing"

// The threshold itself passes, on either side; a criterion without one is off.
func TestThresholds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		bound            Bound
		threshold, value float64
		want             State
	}{
		{Least, 0.9, 0.9, Passed},
		{Least, 0.9, 0.8999, Failed},
		{Least, 0.9, 1, Passed},
		{Most, 3, 3, Passed},
		{Most, 3, 3.0001, Failed},
		{Most, 3, 0, Passed},
		{Least, 0, 0, Off},
		{Most, 0, 100, Off},
	} {
		c := Criterion{Bound: test.bound, Threshold: test.threshold}.judged(test.value, "")
		if c.State != test.want || *c.Value != test.value {
			t.Errorf("%v, which is to be at %s %v, is %s, want %s", test.value, test.bound, test.threshold, c.State, test.want)
		}
	}
}

// What is unchecked blocks unless it is waived, and what was not asked for never does.
func TestPasses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		c    Criterion
		want bool
	}{
		{Criterion{State: Passed}, true},
		{Criterion{State: Off}, true},
		{Criterion{State: Failed}, false},
		{Criterion{State: Failed, Waived: true}, false},
		{Criterion{State: Unchecked}, false},
		{Criterion{State: Unchecked, Waived: true}, true},
	} {
		if got := Passes([]Criterion{{State: Passed}, test.c}); got != test.want {
			t.Errorf("with %+v: passes %v, want %v", test.c, got, test.want)
		}
	}
}
