package training

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// A Command is what is run.
type Command struct {
	Path string   // of the file
	Args []string // with the name of the program in front
	Dir  string   // where it runs; empty: here
	Env  []string // nil: that of the caller
	// Files are its standard input, output and error.
	Files [3]*os.File
	// Held is called, by one goroutine, with each JVM that ends. The JVM stands
	// still until Held returns. Its memory must be read, and no more.
	Held func(JVM)
	// Ignored are signals that the caller was started to ignore, and the command
	// is to ignore as well.
	Ignored []os.Signal
}

// A JVM is a process with a JVM in it.
type JVM struct {
	PID int
	// Thread is the thread by which its memory can be read: that of the process
	// may have ended.
	Thread int
	Args   []string // what it was called with, the name of the program in front
	// Running: it has not ended, but the command has.
	Running bool
	Status  Status // how it ends
}

// A Status is how a process ended.
type Status struct {
	Code   int            // of an exit
	Signal syscall.Signal // that ended it, 0 if none did
}

// ExitCode returns the status as a shell reports it.
func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + int(s.Signal)
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
