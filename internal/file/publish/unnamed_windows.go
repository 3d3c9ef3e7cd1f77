package publish

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// openUnnamed creates a file, with a name, that the system deletes when it is closed, even by the end of the process.
func openUnnamed(folder string) (*os.File, error) {
	name := filepath.Join(folder, fmt.Sprintf("%sspool-%016x%016x", temporaryPrefix, rand.Uint64(), rand.Uint64()))
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const access, share = windows.GENERIC_READ | windows.GENERIC_WRITE | windows.DELETE,
		windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(path, access, share, nil, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}
