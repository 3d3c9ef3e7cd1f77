package poll

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct{ key, place int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

func TestSortStableSorts(t *testing.T) {
	for _, n := range []int{0, 1, sortedAtOnce, sortedAtOnce + 1, 2 * sortedAtOnce, 5*sortedAtOnce - 3} {
		values := make([]pair, n)
		for i := range values {
			values[i] = pair{rand.IntN(n/3 + 1), i}
		}
		want := slices.Clone(values)
		slices.SortStableFunc(want, byKey)
		if err := SortStable(t.Context(), values, byKey); err != nil || !slices.Equal(values, want) {
			t.Errorf("%d values: %v, or another order", n, err)
		}
	}
}

// ending ends when it was asked a number of times.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestLoopsAskOften(t *testing.T) {
	p := New(&ending{t.Context(), 2})
	for n := 1; ; n++ {
		if err := p.Err(); err != nil {
			if n != 3*stepsPerPoll || !errors.Is(err, context.Canceled) {
				t.Errorf("%v after %d steps", err, n)
			}
			break
		}
	}
	for _, asked := range []int{0, 3, 6, 200} { // while parts are sorted, and while they are merged
		if err := SortStable(&ending{t.Context(), asked}, make([]pair, 5*sortedAtOnce), byKey); !errors.Is(err,
			context.Canceled) {
			t.Errorf("ended at question %d: %v", asked, err)
		}
	}
}

func TestValuesEndWithTheFirstError(t *testing.T) {
	values := func(yield func(int, error) bool) {
		_ = yield(1, nil) && yield(2, nil) && yield(0, context.Canceled) && yield(3, nil)
	}
	for limit, want := range map[int][]int{1: {1}, 9: {1, 2}} {
		var err error
		var got []int
		for v := range Values(values, &err) {
			if got = append(got, v); len(got) == limit {
				err = errors.ErrUnsupported
			}
		}
		if !slices.Equal(got, want) || errors.Is(err, context.Canceled) != (limit == 9) || err == nil {
			t.Errorf("at most %d: %v, %v", limit, got, err)
		}
	}
}
