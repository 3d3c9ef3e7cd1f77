// Package turns lets contenders take turns, so that a busy moment of the machine
// falls on all of them, and gives the medians of what each turn cost.
package turns

import (
	"fmt"
	"slices"
	"time"
)

// A Cost is what one turn took.
type Cost struct {
	Wall time.Duration
	User time.Duration // on all processors; 0 if it is not known
	Peak int64         // bytes of memory at the most; 0 if it is not known
}

// Take lets each contender have a turn, rounds times, and gives the median of
// each part of the cost by contender. The first error ends it.
func Take(rounds int, contenders ...func() (Cost, error)) ([]Cost, error) {
	costs := make([][]Cost, len(contenders))
	for range rounds {
		for i, turn := range contenders {
			c, err := turn()
			if err != nil {
				return nil, fmt.Errorf("contender %d: %w", i+1, err)
			}
			costs[i] = append(costs[i], c)
		}
	}
	medians := make([]Cost, len(contenders))
	for i, c := range costs {
		medians[i] = Cost{
			Wall: medianOf(c, func(c Cost) time.Duration { return c.Wall }),
			User: medianOf(c, func(c Cost) time.Duration { return c.User }),
			Peak: medianOf(c, func(c Cost) int64 { return c.Peak }),
		}
	}
	return medians, nil
}

func medianOf[T time.Duration | int64](costs []Cost, part func(Cost) T) T {
	var parts []T
	for _, c := range costs {
		parts = append(parts, part(c))
	}
	return Median(parts)
}

// Median is the middle one of values, the upper of two, 0 of none.
func Median[T time.Duration | int64 | float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
