//go:build unix

package warmup

import (
	"os"
	"runtime"
	"syscall"
)

// ownGroup puts a program into a new process group, so that all its processes can be ended, and an interrupt at the
// terminal reaches only the caller.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (r *running) askToEnd()  { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGTERM) }
func (r *running) killGroup() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }
func (r *running) killRest()  { r.killGroup() }

// peakMemory returns the maximum memory of one process, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return int64(usage.Maxrss) // Maxrss is in bytes
	}
	return int64(usage.Maxrss) << 10
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
