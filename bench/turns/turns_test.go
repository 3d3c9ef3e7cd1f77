package turns

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestContendersTakeTurnsAndEachPartHasItsMedian(t *testing.T) {
	t.Parallel()
	var order []int
	contender := func(n int, costs ...Cost) func() (Cost, error) {
		return func() (Cost, error) {
			order = append(order, n)
			c := costs[0]
			costs = costs[1:]
			return c, nil
		}
	}
	got, err := Take(3,
		contender(1, Cost{Wall: 9, User: 1, Peak: 5}, Cost{Wall: 2, User: 8, Peak: 4}, Cost{Wall: 3, User: 2, Peak: 6}),
		contender(2, Cost{}, Cost{Wall: time.Second}, Cost{Wall: time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Cost{{Wall: 3, User: 2, Peak: 5}, {Wall: time.Second}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 2, 1, 2, 1, 2}, order); diff != "" {
		t.Error(diff)
	}
}

func TestAnErrorEndsTheTurns(t *testing.T) {
	t.Parallel()
	failed, calls := errors.New("failed"), 0
	_, err := Take(5, func() (Cost, error) { calls++; return Cost{}, failed })
	if !errors.Is(err, failed) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
