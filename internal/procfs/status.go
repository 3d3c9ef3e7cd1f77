// Package procfs reads what Linux tells of processes in /proc.
package procfs

import (
	"fmt"
	"os"
	"strings"
)

// Status is a field of /proc/PID/status, of a process or a thread. It is empty
// if there is no such field, or if the process is gone.
func Status(pid int, field string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // empty if it is gone
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
