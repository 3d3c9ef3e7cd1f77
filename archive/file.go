package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/profarc/profarc/layout"
)

// A File is the file being published.
type File struct {
	ctx     context.Context // of the call to Publish
	file    *os.File
	written atomic.Int64
}

var _ io.WriterAt = (*File)(nil)

// writeBlock is what is written at a time, at multiples of itself. Kernels keep
// such blocks in large pages, and map them with large pages later.
const writeBlock = 2 << 20

// WriteAt writes at an offset; calls may run side by side. It ends with the
// error of the context that Publish was given when that ends.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > layout.MaxFileSize-int64(len(p)) {
		return 0, fmt.Errorf("%w: %d bytes at offset %d of at most %d", layout.ErrTooLarge, len(p), off, int64(layout.MaxFileSize))
	}
	n := 0
	for n < len(p) {
		if err := f.ctx.Err(); err != nil {
			return n, err
		}
		at := off + int64(n)
		end := n + int(min(int64(len(p)-n), writeBlock-at%writeBlock))
		k, err := f.file.WriteAt(p[n:end], at)
		n += k
		f.written.Add(int64(k))
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Written is the number of bytes written so far.
func (f *File) Written() int64 { return f.written.Load() }

// finish makes the file ready to be renamed: it has the permissions of the old
// one, if there is one, and is on the disk.
func (f *File) finish(old fs.FileInfo) error {
	if old != nil {
		if err := f.file.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := f.file.Close(); err != nil {
		return err
	}
	return f.ctx.Err()
}

// discard removes the file.
func (f *File) discard() error {
	err := f.file.Close() // fails if finish came that far
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(f.file.Name()))
}
