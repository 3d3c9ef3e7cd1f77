//go:build !js && !plan9

package train

import "syscall"

// hangup is the signal that a closed terminal sends.
const hangup = syscall.SIGHUP
