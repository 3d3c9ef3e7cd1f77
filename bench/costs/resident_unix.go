//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// residentSize returns the largest resident set of a process that ended, in bytes.
func residentSize(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
