package ratios

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// describeMachine describes this machine.
func describeMachine() string {
	return fmt.Sprintf("%s, %d processors, %s/%s, %s", processorName(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}

// processorName returns the processor's model name on Linux.
func processorName() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "a processor"
}
