package poll

import (
	"context"
	"slices"
)

// sortedAtOnce is how many values are sorted without a question in between: some
// milliseconds.
const sortedAtOnce = 1 << 14

// SortStable is slices.SortStableFunc that ends with the error of ctx: values are
// then in no order.
func SortStable[V any](ctx context.Context, values []V, compare func(a, b V) int) error {
	if len(values) <= sortedAtOnce {
		slices.SortStableFunc(values, compare)
		return ctx.Err()
	}
	for part := range slices.Chunk(values, sortedAtOnce) {
		if err := ctx.Err(); err != nil {
			return err
		}
		slices.SortStableFunc(part, compare)
	}
	steps := New(ctx)
	for from, to, size := values, make([]V, len(values)), sortedAtOnce; ; size *= 2 {
		if size >= len(values) {
			copy(values, from) // which may be the spare memory
			return ctx.Err()
		}
		for at := 0; at < len(values); at += 2 * size {
			middle, end := min(at+size, len(values)), min(at+2*size, len(values))
			if err := merge(steps, to[at:end], from[at:middle], from[middle:end], compare); err != nil {
				return err
			}
		}
		from, to = to, from
	}
}

// merge puts two sorted parts together.
func merge[V any](steps *Poll, to, a, b []V, compare func(a, b V) int) error {
	for i := range to {
		if err := steps.Err(); err != nil {
			return err
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
	return nil
}
