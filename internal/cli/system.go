//go:build !plan9

package cli

import "syscall"

const (
	errFull = syscall.ENOSPC // of a full disk
	errPipe = syscall.EPIPE  // of a pipe that nobody reads

	errNoFormat = syscall.ENOEXEC // of a file that is no program
)
