package outputlock

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// openLock opens the lock file. It follows no symbolic link, and does not block on a pipe.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}

// lockFile locks a file until it is closed. Locks of the process would end when any descriptor of the file is closed.
func lockFile(f *os.File) error {
	whole := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &whole)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return ErrLocked
	}
	return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
