package publish

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed returns an error that matches errors.ErrUnsupported on file systems without unnamed files.
func openUnnamed(folder string) (*os.File, error) {
	f, err := os.OpenFile(folder, unix.O_TMPFILE|os.O_RDWR, 0o600)
	// A kernel without the flag tries to open a directory for writing and fails.
	if errors.Is(err, unix.EISDIR) {
		return nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return f, err
}
