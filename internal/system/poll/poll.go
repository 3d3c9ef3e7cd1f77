// Package poll has loops that end with an error. They check contexts rarely, since their steps take much less time than
// a check.
package poll

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// stepsPerPoll is the number of steps between checks. A step takes some microseconds at most.
const stepsPerPoll = 256

// A Poll checks a context in the loops of one goroutine.
type Poll struct {
	ctx   context.Context
	steps uint
}

func New(ctx context.Context) *Poll { return &Poll{ctx: ctx} }

// Err counts a step. Every 256 steps it returns the context's error, otherwise nil.
func (p *Poll) Err() error {
	if p.steps++; p.steps%stepsPerPoll != 0 {
		return nil
	}
	return p.ctx.Err()
}

// Each calls visit with each value. It returns the first error, which is that of a value, of visit or of the context.
func Each[V any](p *Poll, values iter.Seq2[V, error], visit func(V) error) error {
	for v, err := range values {
		err = cmp.Or(err, p.Err())
		if err == nil {
			err = visit(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Values yields values until failed has an error. It stores the error of a value there, as may the body of the loop.
func Values[V any](values iter.Seq2[V, error], failed *error) iter.Seq[V] {
	return func(yield func(V) bool) {
		for v, err := range values {
			*failed = cmp.Or(*failed, err)
			if *failed != nil || !yield(v) {
				return
			}
		}
	}
}

// sortedAtOnce is the number of values to sort between checks, which takes some milliseconds.
const sortedAtOnce = 1 << 14

// SortStable is slices.SortStableFunc, but returns the error of ctx once it ends. The order is then undefined.
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
			copy(values, from) // the result may be in the scratch buffer
			return ctx.Err()
		}
		for at := 0; at < len(values); at += 2 * size {
			middle := min(at+size, len(values))
			end := min(at+2*size, len(values))
			if err := mergeSorted(steps, to[at:end], from[at:middle], from[middle:end], compare); err != nil {
				return err
			}
		}
		from, to = to, from
	}
}

func mergeSorted[V any](steps *Poll, to, a, b []V, compare func(a, b V) int) error {
	for i := range to {
		if err := steps.Err(); err != nil {
			return err
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			to[i] = a[0]
			a = a[1:]
		} else {
			to[i] = b[0]
			b = b[1:]
		}
	}
	return nil
}
