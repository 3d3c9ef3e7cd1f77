//go:build !unix && !windows

package publish

import (
	"io/fs"
	"time"
)

// renameAdvice is the advice for a failed renaming.
const renameAdvice = ""

// minLitterAge is how long a temporary file may be closed before it is renamed. It is not
// 0: some of these systems do not rename an open file.
const minLitterAge = time.Minute

// syncFolder does nothing: folders are not synced here.
func syncFolder(folder) error { return nil }

// isTrusted reports whether a link may be followed. These systems have no links, or one user.
func isTrusted(_, _ fs.FileInfo) bool { return true }

// keepOwner returns the permissions of the file that is replaced, whose owner is not known here.
func keepOwner(_ file, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }
