//go:build !linux

package turns

import "time"

var start = time.Now()

// ThreadTime is the time since the program began, in nanoseconds: here there is no
// clock of a thread.
func ThreadTime() int64 { return int64(time.Since(start)) }

// Pin does nothing.
func Pin() {}
