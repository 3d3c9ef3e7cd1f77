// Package outputlock locks the name of an archive, so that no two processes write to it.
package outputlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

var ErrLocked = errors.New("another training run writes to it")

// Path returns the path of an archive's lock, NAME.lock. Symbolic links are resolved.
func Path(out string) (string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(out))
	if err != nil {
		return "", err
	}
	name := filepath.Base(out)
	if real, err := filepath.EvalSymlinks(out); err == nil {
		folder, name = filepath.Split(real)
	}
	return filepath.Join(folder, name+".lock"), nil
}

// Lock locks the [Path] of out, so that no other training run or watcher writes to the same name. If another
// process has the lock, it fails immediately with an error that matches ErrLocked. The lock belongs to the open file
// description, so closing another one does not release it. It ends with the process. release also removes the file. A
// killed process leaves its file, which the next one to lock it removes.
func Lock(out string) (release func(), err error) {
	path, err := Path(out)
	if err != nil {
		return nil, err
	}
	for {
		f, err := openLock(path)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil {
			if errors.Is(err, ErrLocked) {
				err = fmt.Errorf("%s: %w%s: wait until it has ended, then run this again, or name another archive", out, err,
					lockHolder(f))
			}
			f.Close()
			return nil, err
		}
		there, err1 := os.Lstat(path)
		open, err2 := f.Stat()
		if err1 == nil && err2 == nil && os.SameFile(there, open) {
			// The system does not report the holder of such locks.
			if f.Truncate(0) == nil {
				_, _ = fmt.Fprintln(f, os.Getpid())
			}
			return func() { _ = os.Remove(path); f.Close() }, nil
		}
		f.Close() // another run has removed the file
	}
}

// lockHolder returns ", process N" for the holder of a lock, or "" if it is unknown.
func lockHolder(f *os.File) string {
	var pid int
	if _, err := fmt.Fscan(f, &pid); err != nil || pid <= 0 {
		return ""
	}
	return fmt.Sprintf(", process %d", pid)
}
