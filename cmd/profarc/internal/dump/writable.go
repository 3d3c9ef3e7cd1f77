package dump

import (
	"context"
	"errors"

	"github.com/profarc/profarc/internal/file/publish"
)

// errUnwritten ends a trial write.
var errUnwritten = errors.New("nothing is written")

// CheckWritable fails where Publish would, and leaves the file at path as it is.
func CheckWritable(ctx context.Context, path string) error {
	err := publish.At(ctx, path, func(*publish.File) error { return errUnwritten })
	if errors.Is(err, errUnwritten) {
		return nil
	}
	return err
}
