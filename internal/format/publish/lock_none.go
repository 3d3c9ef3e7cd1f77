//go:build (!unix && !windows) || aix || (solaris && !illumos)

package publish

import "os"

// LockFile does nothing: here no file has a lock that ends with its process alone, so
// that no temporary file is ever taken for litter.
func LockFile(*os.File) (locked, supported bool) { return false, false }
