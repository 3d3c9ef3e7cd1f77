package main

import "golang.org/x/sys/unix"

// threadTime is the processor time of this thread, in nanoseconds.
func threadTime() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return t.Nano()
}

// pin keeps this thread on one of the processors that it may use, the last, if the
// system lets it.
func pin() {
	var may, one unix.CPUSet
	if unix.SchedGetaffinity(0, &may) != nil {
		return
	}
	for cpu := 8 * len(may) * 8; cpu >= 0; cpu-- {
		if may.IsSet(cpu) {
			one.Set(cpu)
			_ = unix.SchedSetaffinity(0, &one)
			return
		}
	}
}
