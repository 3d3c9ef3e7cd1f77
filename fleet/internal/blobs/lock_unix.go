//go:build unix && !solaris && !aix

package blobs

import (
	"errors"
	"os"
	"syscall"
)

// createFile opens the file of a lock, and does not follow a link.
func createFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
}

// tryLock locks an open file. The error matches errLocked if another process has locked it.
func tryLock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
