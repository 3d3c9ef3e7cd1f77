package ratios

import "golang.org/x/sys/unix"

// Pin keeps this thread on one of the processors that it may use, the last, if the system lets it.
func Pin() {
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
