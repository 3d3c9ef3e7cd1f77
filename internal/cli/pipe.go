//go:build !js && !plan9

package cli

import (
	"os/signal"
	"syscall"
)

// ignorePipes ignores SIGPIPE, so that a write fails after a pager exits. The signal would kill the process, and
// temporary files would remain.
func ignorePipes() { signal.Ignore(syscall.SIGPIPE) }
