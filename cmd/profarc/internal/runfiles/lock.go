package runfiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked is the error of a name that another training run has locked.
var ErrLocked = errors.New("another training run writes to it")

// LockFile returns the path of the lock of an archive: NAME.lock beside it, wherever links lead to.
func LockFile(out string) (string, error) {
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

// Lock keeps other training runs and watchers from writing to the same name, since only one
// archive would stay. It locks the [LockFile]. The lock belongs to this opening of the file:
// opening and closing it elsewhere does not end it. It ends with the process, however that
// ends; release removes the file. The file of a killed process stays, since nobody but the
// next one to lock it can know that it is not in use; that one removes it. While another
// process has the lock, Lock fails at once, with an error that matches ErrLocked.
func Lock(out string) (release func(), err error) {
	path, err := LockFile(out)
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
			noteHolder(f)
			return func() { _ = os.Remove(path); f.Close() }, nil
		}
		f.Close() // another run has ended meanwhile, and removed the file
	}
}

// noteHolder writes into the lock which process has it. The system does not tell of a lock
// that belongs to an opening.
func noteHolder(f *os.File) {
	if f.Truncate(0) == nil {
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
}

// lockHolder says which process has a lock, if that is known.
func lockHolder(f *os.File) string {
	var pid int
	if _, err := fmt.Fscan(f, &pid); err != nil || pid <= 0 {
		return ""
	}
	return fmt.Sprintf(", process %d", pid)
}
