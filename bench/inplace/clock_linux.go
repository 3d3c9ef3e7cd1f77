package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of this thread, in nanoseconds.
func threadTime() int64 { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime is the processor time of all threads, in nanoseconds.
func processTime() int64 { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(of int32) int64 {
	var t unix.Timespec
	if unix.ClockGettime(of, &t) != nil {
		return 0
	}
	return t.Nano()
}

var begun = time.Now()

// wallTime is the time since the program began, in nanoseconds.
func wallTime() int64 { return int64(time.Since(begun)) }
