package runfiles

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// openLock opens the lock file without following a symbolic link.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
}

// lock locks a file for this process, or returns the process that holds it.
func lock(f *os.File) (holder string, err error) {
	whole := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &whole)
	switch {
	case err == nil:
		return "", nil
	case !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES):
		return "", &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	if unix.FcntlFlock(f.Fd(), unix.F_GETLK, &whole) == nil && whole.Type != unix.F_UNLCK && whole.Pid > 0 {
		holder = fmt.Sprintf(", process %d", whole.Pid)
	}
	return holder, ErrLocked
}
