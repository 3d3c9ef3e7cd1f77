// Package cputime has the clocks of measurements: they count while the processor works,
// so that they say less about what else the machine does than a clock on the wall.
package cputime

import "time"

var programStart = time.Now()

// Wall returns the time since the program began, in nanoseconds.
func Wall() int64 { return int64(time.Since(programStart)) }
