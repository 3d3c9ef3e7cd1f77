package storewatch

import (
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"testing"
)

// TestFullDiskSetsNothingAside checks that a full disk ends a look, and that a cut object does not.
func TestFullDiskSetsNothingAside(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("spilling: %w", &fs.PathError{Op: "write", Path: "spill", Err: syscall.ENOSPC})
	if !isOfMachine(full) || isOfMachine(fmt.Errorf("x: %w", io.ErrUnexpectedEOF)) {
		t.Error("a full disk is taken for a fault of an object, or a fault of an object for a full disk")
	}
}
