//go:build unix

package publish

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// renameAdvice is the advice for a failed renaming.
const renameAdvice = ""

// minLitterAge is how long a temporary file may be closed, and so unlocked, before it is
// renamed. It is 0, since the file is renamed while it is open.
const minLitterAge time.Duration = 0

// syncFolder makes a renaming in the directory durable, if the file system can sync directories.
func syncFolder(f folder) error {
	d, err := f.Open(".", os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// isTrusted reports whether a link in a directory may be followed, or a pipe in it written to. The rule
// follows Linux's protected_symlinks and protected_fifos, which need not be on and which other systems do not
// have: in a sticky directory that all may write to, as /tmp, trusted is what this user or the directory's
// owner put there.
func isTrusted(folder, file fs.FileInfo) bool {
	if folder.Mode()&fs.ModeSticky == 0 || folder.Mode().Perm()&0o002 == 0 {
		return true
	}
	in, ok1 := folder.Sys().(*syscall.Stat_t)
	l, ok2 := file.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && (int(l.Uid) == os.Geteuid() || l.Uid == in.Uid)
}

// keepOwner gives a file the owner and group of the file that it replaces, as far as this process may, and
// returns the permissions for it. If the group could not be kept, members of the old group are now others and
// the reverse, so that both get only the permissions that both had.
func keepOwner(f file, old fs.FileInfo) fs.FileMode {
	mode := old.Mode().Perm()
	o, ok := old.Sys().(*syscall.Stat_t)
	if !ok || f.Chown(int(o.Uid), int(o.Gid)) == nil || f.Chown(-1, int(o.Gid)) == nil {
		return mode
	}
	both := mode >> 3 & mode & 0o007
	return mode&0o700 | both<<3 | both
}
