//go:build !linux

package outputlock

import (
	"os"

	"github.com/profarc/profarc/internal/file/publish"
)

func openLock(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }

// lockFile locks a file until it is closed, if the system and the file system support locks.
func lockFile(f *os.File) error {
	if locked, supported := publish.LockFile(f); supported && !locked {
		return ErrLocked
	}
	return nil
}
