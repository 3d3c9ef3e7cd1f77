package procfs

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// clockTick is the unit of /proc/stat on all processors that Linux supports.
const clockTick = 10 * time.Millisecond

// BusyTime returns the busy time of all processors since the machine was booted, 0 if the system does not provide it.
func BusyTime() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return parseBusyTime(text)
}

// parseBusyTime parses the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, and
// guests, which the first two include.
func parseBusyTime(text []byte) (busy time.Duration) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 8 || string(fields[0]) != "cpu" {
		return 0
	}
	for i, field := range fields[1:min(9, len(fields))] {
		ticks, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil || ticks < 0 || ticks > 1<<53 {
			return 0
		}
		if i != 3 && i != 4 { // idle and iowait
			busy += time.Duration(ticks) * clockTick
		}
	}
	return busy
}
