package training

import (
	"errors"
	"fmt"
	"os"
)

// A Command is a command to run.
type Command struct {
	Path string   // of the file
	Args []string // with the name of the program in front
	Dir  string   // its working directory; empty: the caller's
	Env  []string // nil: the caller's
	// Files are its standard input, output and error.
	Files [3]*os.File
	// Held is called, by one goroutine, with each JVM that ends. The JVM is stopped until
	// Held returns. Held may only read its memory.
	Held func(JVM)
	// Ignored are the signals that the caller ignores since its start, and the command must ignore too.
	Ignored []os.Signal
}

// A JVM is a process with a JVM in it.
type JVM struct {
	PID int
	// Thread is a thread through which its memory can be read: the first one may have ended.
	Thread int
	Args   []string // with the name of the program in front
	// Own is whether it is the command itself, and not what that started.
	Own bool
	// Running is whether it still runs after the end of the command.
	Running bool
	// Replaced is whether its process goes on with another program (exec), which may be a JVM
	// with the same PID. It has no Status then.
	Replaced bool
	Status   Status // how it ends
	// Began is when its program took the place of another JVM's in the process, in clock ticks
	// since the machine was booted; 0 if it is the first.
	Began uint64
}

// A Status is how a process ended.
type Status struct {
	Code   int // of an exit
	Signal int // that ended it, 0 if none did
}

// ExitCode returns the status as a shell reports it.
func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + s.Signal
	}
	return s.Code
}

// The sentinels that errors of this package match.
var (
	// ErrUnsupported: this system has no way to hold a process at its exit.
	ErrUnsupported = fmt.Errorf("JVMs can be held at their exit on Linux only (%w)", errors.ErrUnsupported)
	// ErrPermission: the system does not let this user trace.
	ErrPermission = errors.New("no permission to trace the command: it was not started")
)
