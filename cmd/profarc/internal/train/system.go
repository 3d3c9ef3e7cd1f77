//go:build !js && !plan9

package train

import "syscall"

// hangup is the signal of a terminal that is gone.
const hangup = syscall.SIGHUP
