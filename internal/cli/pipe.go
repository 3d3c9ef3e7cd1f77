//go:build !js && !plan9

package cli

import (
	"os/signal"
	"syscall"
)

// ignorePipes ignores the signal of a pipe that nobody reads. When a pager exits early, a
// write fails. The signal would end the process and leave temporary files behind.
func ignorePipes() { signal.Ignore(syscall.SIGPIPE) }
