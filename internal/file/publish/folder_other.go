//go:build !unix && !windows

package publish

import (
	"io/fs"
	"time"
)

const renameAdvice = ""

// minLitterAge is the age from which a temporary file of this machine may be litter. It is not 0, since some of these
// systems cannot rename an open file, so the file is closed and unlocked for a moment.
const minLitterAge = time.Minute

// syncFolder does nothing, since folders cannot be synced here.
func syncFolder(folder) error { return nil }

// isTrusted returns true, since these systems have no links or only one user.
func isTrusted(_, _ fs.FileInfo) bool { return true }

// keepOwner returns the permissions of the replaced file, whose owner is unknown here.
func keepOwner(_ file, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }
