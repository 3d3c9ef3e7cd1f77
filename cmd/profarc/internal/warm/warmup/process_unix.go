//go:build unix

package warmup

import (
	"os"
	"runtime"
	"syscall"
)

// ownGroup makes a program the first of a process group, so that all its processes can be
// ended, and an interrupt at the terminal reaches the caller alone.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (r *running) askToEnd() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGTERM) }

func (r *running) killGroup() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }

// killRest ends the processes that the program has left behind.
func (r *running) killRest() { r.killGroup() }

// peakMemory returns the most memory that one process had, of those that were waited for.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return int64(usage.Maxrss) // in bytes
	}
	return int64(usage.Maxrss) << 10
}

// exitCode returns how a process ended, as a shell reports it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
