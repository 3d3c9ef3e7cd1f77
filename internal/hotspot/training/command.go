package training

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/profarc/profarc/internal/hotspot/live"
)

type Command struct {
	Path string   // path of the executable
	Args []string // arguments, beginning with the program name
	Dir  string   // working directory; "" for the caller's
	// Files are standard input, output and error.
	Files [3]*os.File
	// Held is called with each JVM that ends, from one goroutine. It must only read the JVM, which is stopped.
	Held func(JVM)
	// Untraced is called if the system does not allow tracing, before the command starts without. It returns the
	// command's environment, and the listener to which the JVMs connect; nil if no JVM can be read. If Untraced is nil or
	// fails, the command does not start.
	Untraced func() (*live.Listener, []string, error)
	// Ignored are the signals that the caller has ignored since its start and that the command must ignore, too.
	Ignored []os.Signal
}

type JVM struct {
	PID int
	// Thread is a thread through which the memory can be read, since the main thread may have ended.
	Thread int
	Args   []string // arguments, beginning with the program name
	// Own is true for the command itself, false for a descendant.
	Own bool
	// Running is whether the JVM still runs after the end of the command.
	Running bool
	// Replaced is whether the process executes another program (exec), maybe a JVM. Status is then zero.
	Replaced bool
	Status   Status // exit status
	// Served is the JVM if it serves its memory; nil if it is traced.
	Served *live.Served
	// Began is the time of the exec that replaced another JVM, in clock ticks since boot; 0 for the first JVM.
	Began uint64
}

// Attach finds the VM in the process.
func (j *JVM) Attach(ctx context.Context) (*live.VM, error) {
	if j.Served != nil {
		return j.Served.Attach(ctx)
	}
	return live.Attach(ctx, j.Thread)
}

type Status struct {
	Code   int // exit code
	Signal int // signal that ended it, 0 if none
}

func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + s.Signal
	}
	return s.Code
}

// The sentinels that errors of this package match.
var (
	// ErrUnsupported is the error on systems that cannot hold a process at its exit.
	ErrUnsupported = fmt.Errorf("JVMs can be held at their exit on Linux only (%w)", errors.ErrUnsupported)
	// ErrPermission is the error if the system does not allow this user to trace.
	ErrPermission = errors.New("no permission to trace the command: it was not started")
)
