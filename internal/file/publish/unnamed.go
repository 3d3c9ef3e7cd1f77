package publish

import (
	"errors"
	"io/fs"
	"os"
)

// CreateUnnamed creates an empty file without a name in a directory. It disappears whenever this process ends, and
// nobody who empties the directory can remove it before. On Windows it has a name until it is closed.
func CreateUnnamed(folder string) (*os.File, error) {
	f, err := openUnnamed(folder)
	if errors.Is(err, errors.ErrUnsupported) {
		f, err = createAndRemove(folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingFolderError{folder}
	}
	return f, err
}

// createAndRemove is for file systems without unnamed files.
func createAndRemove(folder string) (*os.File, error) {
	f, err := os.CreateTemp(folder, temporaryPrefix+"spool-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}
