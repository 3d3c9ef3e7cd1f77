package main

import (
	"os"
	"strconv"
	"strings"
)

// freeMemory returns the available memory in bytes, or 0 if unknown.
func freeMemory() int64 {
	data, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemAvailable:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}
