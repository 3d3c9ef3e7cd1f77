package ratios

import "golang.org/x/sys/unix"

// Pin binds this thread to the last allowed processor if possible.
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
