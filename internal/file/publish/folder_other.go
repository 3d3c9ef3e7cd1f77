//go:build !unix && !windows

package publish

import (
	"io/fs"
	"time"
)

// renameHint is the advice for a failed renaming.
const renameHint = ""

// closedBefore is how long a temporary file may be closed before it is renamed. It is not
// 0: some of these systems do not rename an open file.
const closedBefore = time.Minute

// syncFolder does nothing: folders are not synced here.
func syncFolder(folder) error { return nil }

// mayTrust reports whether a link may be followed. These systems have no links, or one user.
func mayTrust(_, _ fs.FileInfo) bool { return true }

// keepOwner returns the permissions of the file that is replaced, whose owner is not known here.
func keepOwner(_ file, old fs.FileInfo) fs.FileMode { return old.Mode().Perm() }
