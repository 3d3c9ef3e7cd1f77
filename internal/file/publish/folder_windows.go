package publish

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

const renameAdvice = " (an archive that a program has mapped cannot be replaced: end that program, or let it read " +
	"the archive into memory)"

// minLitterAge is the age from which a temporary file of this machine may be litter. An open file cannot be renamed,
// so the file is closed and unlocked for a moment before.
const minLitterAge = time.Minute

// syncFolder does nothing, since the system keeps folders consistent by itself.
func syncFolder(folder) error { return nil }

// isTrusted returns true. On Windows making links takes special rights, and no directory is writable by all.
func isTrusted(_, _ fs.FileInfo) bool { return true }

// keepOwner returns the permissions of the replaced file. Files inherit owner and access rights from their directory.
func keepOwner(_ file, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }

const errLocked = windows.ERROR_LOCK_VIOLATION

// tryFlock tries once to lock a byte far after the end of a file.
func tryFlock(file *os.File) error {
	return windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}
