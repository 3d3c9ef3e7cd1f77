//go:build !linux

package runfiles

import "os"

func openLock(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

// lock does nothing: there are no training runs on this system.
func lock(*os.File) (holder string, err error) { return "", nil }
