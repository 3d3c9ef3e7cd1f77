package criteria

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
		c := Criterion{Bound: test.bound, Threshold: test.threshold}.judgedBy(test.value, "")
		if c.State != test.want || *c.Value != test.value {
			t.Errorf("%v, which is to be at %s %v, is %s, want %s", test.value, test.bound, test.threshold, c.State, test.want)
		}
	}
}

// An unchecked criterion blocks unless it is waived, and one that was not asked for never does.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		c    Criterion
		want Verdict
	}{
		{Criterion{State: Passed}, Pass},
		{Criterion{State: Off}, Pass},
		{Criterion{State: Failed}, Fail},
		{Criterion{State: Failed, Waived: true}, Fail},
		{Criterion{State: Unchecked}, TooLittle},
		{Criterion{State: Unchecked, Waived: true}, Pass},
		{Criterion{State: TooFew}, TooShort},
		{Criterion{State: TooFew, Waived: true}, Pass},
		{Criterion{Name: NameOfChecked, State: Unchecked}, TooLittle},
		{Criterion{Name: NameOfChecked, State: Unchecked, Waived: true}, Pass},
	} {
		if got := VerdictOf([]Criterion{{State: Passed}, test.c}); got != test.want {
			t.Errorf("with %+v: %s, want %s", test.c, got, test.want)
		}
	}
	if got := VerdictOf([]Criterion{{Name: NameOfChecked, State: Unchecked}, {State: Failed}}); got != Fail {
		t.Errorf("too little checked, and something failed: %s", got)
	}
}

// Hidden classes, whose names differ in each run, are told from methods that are gone.
func TestCoverageText(t *testing.T) {
	t.Parallel()
	h := hotSum{methods: 5, missing: 1, gone: 3, lambdas: 2, worst: "A.b"}
	const want = "4 of 5 hot methods of the baseline have counts, without 1 that the program has no more, without 2 of " +
		"lambdas or other hidden classes, which have new names in each run; the heaviest without is A.b"
	if got := h.coverageText("methods"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
