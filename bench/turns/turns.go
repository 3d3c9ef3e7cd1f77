// Package turns runs contenders in turns, so that a busy moment of the machine
// affects all of them, and returns the medians of their costs.
package turns

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// A Cost is the cost of one turn.
type Cost struct {
	Wall time.Duration
	User time.Duration // on all processors; 0 if not known
	Peak int64         // peak memory in bytes; 0 if not known
}

// Take runs each contender once a round and returns, for each contender, the
// median of each part of the cost. It stops at the first error.
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

// Median returns the median of values: the upper of two middle ones, 0 of none.
func Median[T time.Duration | int64 | int | float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// Child runs a program and returns its cost. If the program fails, its output is
// part of the error.
//
// The kernel attributes the memory of the parent to a program until the program
// runs. A peak is therefore never below that of the process that calls Child.
func Child(name string, args ...string) (Cost, error) {
	cmd := exec.Command(name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	if err != nil {
		return Cost{}, fmt.Errorf("%s: %w\n%s", name, err, out.Bytes())
	}
	return Cost{Wall: wall, User: cmd.ProcessState.UserTime(), Peak: peak(cmd.ProcessState)}, nil
}
