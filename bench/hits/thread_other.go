//go:build !linux

package main

import "time"

var start = time.Now()

// threadTime is the time since the program began, in nanoseconds: here there is no
// clock of a thread.
func threadTime() int64 { return int64(time.Since(start)) }

// pin does nothing.
func pin() {}
