//go:build !js && !plan9

package train

import "syscall"

const (
	hangup      = syscall.SIGHUP  // the signal of a terminal that is gone
	errNoFormat = syscall.ENOEXEC // of a file that is no program
)
