//go:build !unix

package warmup

import (
	"os"
	"syscall"
)

// ownGroup returns nil, since these systems have no process groups. Processes of the program may outlive it.
func ownGroup() *syscall.SysProcAttr { return nil }

func (r *running) askToEnd()  { r.killGroup() }
func (r *running) killGroup() { _ = r.cmd.Process.Kill() }
func (r *running) killRest()  {}

func peakMemory(*os.ProcessState) int64 { return 0 }

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
