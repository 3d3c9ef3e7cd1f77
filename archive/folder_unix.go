//go:build unix

package archive

import (
	"errors"
	"os"
	"syscall"
)

// renameHint says what to do about a failed renaming.
const renameHint = ""

// syncFolder makes a renaming in the folder last. File systems that cannot sync
// a folder say so; there is no more to be done then.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
