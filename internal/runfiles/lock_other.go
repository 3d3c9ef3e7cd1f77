//go:build !linux

package runfiles

import "os"

func openLock(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

// lock does nothing: this system has no training runs.
func lock(*os.File) (holder string, err error) { return "", nil }
