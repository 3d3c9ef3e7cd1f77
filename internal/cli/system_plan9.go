package cli

import "syscall"

// On Plan 9 errors are strings. The strings for a full disk and a closed pipe depend on the file server.
const (
	errFull     = syscall.ErrorString("file system full")
	errPipe     = syscall.ErrorString("write on closed pipe")
	errNoFormat = syscall.ErrorString("exec header invalid")
)
