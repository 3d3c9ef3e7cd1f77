//go:build !plan9

package cli

import "syscall"

const (
	errFull     = syscall.ENOSPC
	errPipe     = syscall.EPIPE
	errNoFormat = syscall.ENOEXEC
)
