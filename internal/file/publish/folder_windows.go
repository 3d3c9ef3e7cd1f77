package publish

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// renameAdvice is the advice for a failed renaming.
const renameAdvice = " (an archive that a program has mapped cannot be replaced: end that program, or let it read the " +
	"archive into memory)"

// minLitterAge is how long a temporary file may be closed, and so unlocked, before it is
// renamed: an open file cannot be.
const minLitterAge = time.Minute

// syncFolder does nothing: the system keeps its folders safe by itself.
func syncFolder(folder) error { return nil }

// isTrusted reports whether a link may be followed. On Windows making links takes special
// rights, and there are no directories that all may write to.
func isTrusted(_, _ fs.FileInfo) bool { return true }

// keepOwner returns the permissions of the file that is replaced. Files here have
// the owner and access rights that they inherit from their directory.
func keepOwner(_ file, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }

const errLocked = windows.ERROR_LOCK_VIOLATION

// tryFlock asks once for the lock of a byte far after the end of a file.
func tryFlock(file *os.File) error {
	return windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}
