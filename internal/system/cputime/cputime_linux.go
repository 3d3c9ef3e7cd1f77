package cputime

import "golang.org/x/sys/unix"

// Thread returns the processor time of this thread in nanoseconds.
func Thread() int64 { return readClock(unix.CLOCK_THREAD_CPUTIME_ID) }

// Process returns the processor time of all threads in nanoseconds.
func Process() int64 { return readClock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func readClock(which int32) int64 {
	var t unix.Timespec
	if unix.ClockGettime(which, &t) != nil {
		return 0
	}
	return t.Nano()
}
