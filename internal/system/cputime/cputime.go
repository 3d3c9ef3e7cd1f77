// Package cputime has clocks for measurements. Most count processor time, so other load of the machine affects them
// less than a wall clock.
package cputime

import "time"

var programStart = time.Now()

// WallTime returns the time since the program started, in nanoseconds.
func WallTime() int64 { return int64(time.Since(programStart)) }
