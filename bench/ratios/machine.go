package ratios

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes this machine.
func machine() string {
	return fmt.Sprintf("%s, %d processors, %s/%s, %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}

// processor returns the processor's model name on Linux.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "a processor"
}
