package live

import (
	"fmt"

	"github.com/profarc/profarc/internal/procfs"
)

// tracedBy is ErrTraced with the name of the tracer, or nil if nothing traces
// the thread.
func tracedBy(tid int) error {
	tracer := procfs.Status(tid, "TracerPid") // a thread's number
	if tracer == "" || tracer == "0" {
		return nil
	}
	var id int
	if _, err := fmt.Sscan(tracer, &id); err != nil {
		return nil
	}
	if pid := procfs.Status(id, "Tgid"); pid != "" {
		return fmt.Errorf("%w %s (%s): %s", ErrTraced, pid, procfs.Status(id, "Name"), tracedAdvice)
	}
	return fmt.Errorf("%w %s: %s", ErrTraced, tracer, tracedAdvice) // one of another namespace
}

const tracedAdvice = "a process has one tracer at most, so that no other can hold it: wait for the tracer's end, then try again, or read the process without holding it"
