package cli

import "syscall"

// The errors of a full disk and of a pipe that nobody reads. Here errors are texts, which
// differ from one file server to the next, and which nothing is told about.
const (
	errFull = syscall.ErrorString("file system full")
	errPipe = syscall.ErrorString("write on closed pipe")

	errNoFormat = syscall.ErrorString("exec header invalid") // of a file that is no program
)
