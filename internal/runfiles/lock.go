package runfiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked is the error of a name that another training run has locked.
var ErrLocked = errors.New("another training run writes to it")

// Lock keeps other training runs from writing to the same name, since only one
// archive would stay. The lock is the file NAME.lock beside the archive. It ends
// with the process, however that ends; release removes the file. While another
// process has the lock, Lock fails at once, with an error that matches ErrLocked.
func Lock(out string) (release func(), err error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(out))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(out)
	if real, err := filepath.EvalSymlinks(out); err == nil {
		folder, name = filepath.Split(real)
	}
	path := filepath.Join(folder, name+".lock")
	for {
		f, err := openLock(path)
		if err != nil {
			return nil, err
		}
		if holder, err := lock(f); err != nil {
			f.Close()
			if errors.Is(err, ErrLocked) {
				err = fmt.Errorf("%s: %w%s: wait until it has ended, then run this again, or name another archive", out, err, holder)
			}
			return nil, err
		}
		there, err1 := os.Lstat(path)
		open, err2 := f.Stat()
		if err1 == nil && err2 == nil && os.SameFile(there, open) {
			return func() { _ = os.Remove(path); f.Close() }, nil
		}
		f.Close() // another run has ended meanwhile, and removed the file
	}
}
