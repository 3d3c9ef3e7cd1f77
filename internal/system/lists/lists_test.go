package lists

import (
	"errors"
	"slices"
	"strconv"
	"testing"
)

func TestMapAndJoin(t *testing.T) {
	if got := Map([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Errorf("Map returns %q", got)
	}
	for n, want := range []string{"", "0", "0, 1", "0, 1, 2"} {
		if got := Join(Below(n), ", ", strconv.Itoa); got != want {
			t.Errorf("Join of the numbers below %d returns %q, want %q", n, got, want)
		}
	}
}

// TestRunStopsAtTheFirstError checks that no step follows the first that fails.
func TestRunStopsAtTheFirstError(t *testing.T) {
	ran := 0
	first := errors.New("first")
	pass := func() error { ran++; return nil }
	fail := func() error { ran++; return first }
	if err := Run(pass, pass); err != nil || ran != 2 {
		t.Errorf("%d of 2 steps ran: %v", ran, err)
	}
	ran = 0
	if err := Run(pass, fail, fail, pass); !errors.Is(err, first) || ran != 2 {
		t.Errorf("%d of 4 steps ran, want 2: %v", ran, err)
	}
}
