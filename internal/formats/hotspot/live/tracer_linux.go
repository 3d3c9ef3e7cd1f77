package live

import (
	"fmt"
	"os"
	"strings"
)

// tracedBy is ErrTraced with the name of the tracer, or nil if nothing traces
// the thread.
func tracedBy(tid int) error {
	tracer := statusField(tid, "TracerPid") // a thread's number
	if tracer == "" || tracer == "0" {
		return nil
	}
	var id int
	if _, err := fmt.Sscan(tracer, &id); err != nil {
		return nil
	}
	if pid := statusField(id, "Tgid"); pid != "" {
		return fmt.Errorf("%w %s (%s): %s", ErrTraced, pid, statusField(id, "Name"), tracedAdvice)
	}
	return fmt.Errorf("%w %s: %s", ErrTraced, tracer, tracedAdvice) // one of another namespace
}

const tracedAdvice = "a process has one tracer at most, so that no other can hold it: wait for the tracer's end, then try again, or read the process without holding it"

// statusField is a field of /proc/PID/status, empty if there is none.
func statusField(pid int, field string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // empty if it is gone
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
