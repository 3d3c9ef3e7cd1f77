package dump

import (
	"context"
	"errors"

	"github.com/profarc/profarc/internal/file/publish"
)

var errUnwritten = errors.New("nothing is written")

// CheckWritable fails if an archive could not be written to path. It leaves an existing file unchanged.
func CheckWritable(ctx context.Context, path string) error {
	err := publish.At(ctx, path, func(*publish.File) error { return errUnwritten })
	if errors.Is(err, errUnwritten) {
		return nil
	}
	return err
}
