package cputime

import "golang.org/x/sys/unix"

// ThreadTime returns the processor time of this thread in nanoseconds.
func ThreadTime() int64 { return readClock(unix.CLOCK_THREAD_CPUTIME_ID) }

// ProcessTime returns the processor time of all threads in nanoseconds.
func ProcessTime() int64 { return readClock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func readClock(which int32) int64 {
	var t unix.Timespec
	if unix.ClockGettime(which, &t) != nil {
		return 0
	}
	return t.Nano()
}
