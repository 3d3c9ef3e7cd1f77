//go:build unix && !aix && (!solaris || illumos)

package publish

import (
	"os"
	"syscall"
)

// LockFile locks a file for this process. It is not supported where the file system has no locks.
func LockFile(file *os.File) (locked, supported bool) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil, err == nil || err == syscall.EWOULDBLOCK
}
