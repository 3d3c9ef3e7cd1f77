//go:build unix

package publish

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

const renameAdvice = ""

// minLitterAge is the age from which a temporary file of this machine may be litter. It is 0, since the file stays
// open and locked until it is renamed.
const minLitterAge time.Duration = 0

// syncFolder makes a rename in the directory durable, if the file system can sync directories.
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

// isTrusted reports whether it is safe to follow a link in a folder or to write to a pipe there. In a sticky directory
// that all users can write to, such as /tmp, only files of this user or of the directory's owner are trusted. This is
// the rule of Linux's protected_symlinks and protected_fifos, which may be off and which other systems lack.
func isTrusted(folder, file fs.FileInfo) bool {
	if folder.Mode()&fs.ModeSticky == 0 || folder.Mode().Perm()&0o002 == 0 {
		return true
	}
	in, ok1 := folder.Sys().(*syscall.Stat_t)
	l, ok2 := file.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && (int(l.Uid) == os.Geteuid() || l.Uid == in.Uid)
}

// keepOwner sets the owner and group of the replaced file as far as this process can, and returns the permissions to
// set. If the group cannot be kept, group members and others change roles, so both get only the permissions that both
// had.
func keepOwner(f file, old fs.FileInfo) fs.FileMode {
	mode := old.Mode().Perm()
	o, ok := old.Sys().(*syscall.Stat_t)
	if !ok || f.Chown(int(o.Uid), int(o.Gid)) == nil || f.Chown(-1, int(o.Gid)) == nil {
		return mode
	}
	both := mode >> 3 & mode & 0o007
	return mode&0o700 | both<<3 | both
}
