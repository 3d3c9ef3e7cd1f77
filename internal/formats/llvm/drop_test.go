package llvm

import (
	"io"

	"github.com/profarc/profarc/internal/recording/profileset"
)

// readAndDrop reads a profile as Read does, into a batch of o.Into that it rolls back.
func readAndDrop(r io.Reader, o ReadOptions) (*Report, error) {
	var batch *profileset.Batch
	if o.Into != nil {
		var err error
		if batch, err = o.Into.Internal().Begin(); err != nil {
			return nil, err
		}
		defer batch.Rollback()
	}
	_, report, err := Read(r, o)
	return report, err
}
