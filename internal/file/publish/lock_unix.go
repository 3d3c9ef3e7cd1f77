//go:build unix && !aix && (!solaris || illumos)

package publish

import (
	"os"
	"syscall"
)

const errLocked = syscall.EWOULDBLOCK

// flock asks once for the lock of a file.
func flock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
