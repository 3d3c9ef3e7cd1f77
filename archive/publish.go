package archive

import (
	"context"
	"io"
)

// Publish creates or replaces the file at path with what write writes: to a
// temporary file in the same folder, which is synced and renamed; then the
// folder is synced. If write or any step fails, or ctx ends, the old file stays
// and the temporary one is removed. w also implements io.WriterAt.
func Publish(ctx context.Context, path string, write func(w *File) error) error { return nil }

// A File is the file being published.
type File struct{}

// WriteAt writes at an offset; calls may run side by side.
func (f *File) WriteAt(p []byte, off int64) (int, error) { return 0, nil }

var _ io.WriterAt = (*File)(nil)
