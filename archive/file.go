package archive

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A File is the file being published.
type File struct {
	ctx     context.Context // of the call to Publish
	file    *os.File
	target  *target
	name    string // in the target's directory
	private bool
	renamed bool
	written atomic.Int64
}

var _ io.WriterAt = (*File)(nil)

// writeBlock is what is written at a time, at multiples of itself. Kernels keep
// such blocks in large pages, and map them with large pages later.
const writeBlock = 2 << 20

// WriteAt writes at an offset; calls may run side by side. It ends with the
// error of the context that Publish was given when that ends.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > disk.MaxFileSize-int64(len(p)) {
		return 0, fmt.Errorf("%w: %d bytes at offset %d of at most %d", layout.ErrTooLarge, len(p), off, int64(disk.MaxFileSize))
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

// writtenBytes is the number of bytes written so far.
func (f *File) writtenBytes() int64 { return f.written.Load() }

// Private leaves permissions to nobody but the file's owner, whatever the file
// that it replaces has.
func (f *File) Private() error {
	f.private = true
	return f.file.Chmod(0o600)
}

// finish makes the file ready to be renamed: it has the owner and permissions of
// the one that it replaces, if there is one, and is on the disk.
func (f *File) finish() error {
	old, err := f.target.replaceable() // whose permissions may have changed since
	if err != nil {
		return err
	}
	if old != nil {
		mode := keepOwner(f.file, old)
		if f.private {
			mode &= 0o600
		}
		if err := f.file.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.ctx.Err(); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	return f.ctx.Err()
}

// rename gives the file its name. Until then it is locked, where an open file
// can be renamed.
func (f *File) rename() error {
	if closedBefore > 0 {
		if err := f.file.Close(); err != nil {
			return err
		}
	}
	if err := f.target.folder.Rename(f.name, f.target.name); err != nil {
		return err
	}
	f.renamed = true
	return nil
}

// discard closes the file, and removes it unless it was renamed. What was synced
// cannot be lost by closing.
func (f *File) discard() {
	if !f.renamed {
		_ = f.target.folder.Remove(f.name)
	}
	_ = f.file.Close()
}
