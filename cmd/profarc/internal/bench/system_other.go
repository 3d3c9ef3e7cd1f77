//go:build !linux

package bench

import (
	"os"
	"time"
)

var start = time.Now()

// threadTime is the time since the program began, in nanoseconds: here there is no
// clock of a thread.
func threadTime() int64 { return int64(time.Since(start)) }

// dropFromCache does nothing, and says so.
func dropFromCache(*os.File) bool { return false }
