package runfiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// errLocked: another process has the lock.
var errLocked = errors.New("another training run writes to it")

// Lock keeps other training runs from writing to the same name: of two only
// one archive would stay. The lock is a file beside the archive, NAME.lock, which
// goes with the process that has it, however that ends; the file itself is removed
// by release. A second run is refused at once.
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
			if errors.Is(err, errLocked) {
				err = fmt.Errorf("%s: %w%s: wait until it has ended, then run this again, or name another archive", out, err, holder)
			}
			return nil, err
		}
		there, err1 := os.Lstat(path)
		open, err2 := f.Stat()
		if err1 == nil && err2 == nil && os.SameFile(there, open) {
			return func() { _ = os.Remove(path); f.Close() }, nil
		}
		f.Close() // another run has ended meanwhile, and removed it
	}
}
