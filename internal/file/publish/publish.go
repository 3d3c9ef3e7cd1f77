// Package publish writes files atomically.
package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// At creates or replaces the file at path atomically. write writes to a temporary file in the same directory. At
// syncs it, reads it back, renames it, and syncs the directory. If write or a step before the rename fails or panics,
// or ctx ends, the old file stays and the temporary file is removed. A killed process leaves a .profarc-*.tmp, which
// the next At in the directory removes.
//
// The file keeps the permissions of the replaced file and, if this process can set them, its group and owner. If the
// group cannot be kept, group and others get only the permissions that both had. A new file gets 0644 less the umask.
// The temporary file never has more permissions than the file at path. Other hard links to the replaced file keep the
// old content. Access control lists are not kept.
//
// If path is a symbolic link, its target is replaced and the link stays. A link of another user in a sticky directory
// that all users can write to, such as /tmp, is rejected with fs.ErrPermission, since it could lead anywhere.
func At(ctx context.Context, path string, write func(w *File) error) error {
	return publishOn(ctx, operatingSystem{}, path, write)
}

func publishOn(ctx context.Context, sys system, path string, write func(w *File) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := findTarget(sys, path)
	if err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	defer t.folder.Close()
	removeLitter(t.folder)
	f, err := t.createTemporary(ctx)
	if err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	defer f.closeAndCleanUp() // even if write panics
	if err := write(f); err != nil {
		return err
	}
	if err := f.prepareRename(); err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	if err := f.renameToTarget(); err != nil {
		return fmt.Errorf("publish %s: %w%s", path, err, renameAdvice)
	}
	if err := syncFolder(t.folder); err != nil {
		return fmt.Errorf("publish %s: it is in place, but may be gone after a power failure: %w", path, err)
	}
	return nil
}

// A missingFolderError is the error for a file whose directory does not exist. It matches fs.ErrNotExist.
type missingFolderError struct{ name string }

func (m missingFolderError) Error() string {
	return "there is no folder " + m.name + ": create the folder first"
}

// HasAdvice returns true; see layout.Error.
func (m missingFolderError) HasAdvice() bool { return true }
func (m missingFolderError) Unwrap() error   { return fs.ErrNotExist }

type File struct {
	ctx     context.Context // context of At
	file    file
	pieces  writtenBlocks
	target  *target
	name    string // name in the target's directory
	private bool
	renamed bool
	written atomic.Int64
}

var _ io.WriterAt = (*File)(nil)

// writeBlock is the size and alignment of single writes. Kernels keep such blocks in large pages and later map them
// with large pages.
const writeBlock = 2 << 20

// WriteAt writes at an offset. Calls may run in parallel. Once the context of At ends it returns the context's error.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > disk.MaxFileSize-int64(len(p)) {
		return 0, fmt.Errorf("%w: %d bytes at offset %d of at most %d", layout.ErrTooLarge, len(p), off,
			int64(disk.MaxFileSize))
	}
	n := 0
	for n < len(p) {
		if err := f.ctx.Err(); err != nil {
			return n, err
		}
		at := off + int64(n)
		end := n + int(min(int64(len(p)-n), writeBlock-at%writeBlock))
		k, err := f.file.WriteAt(p[n:end], at)
		f.pieces.recordWrite(p[n:n+k], at)
		n += k
		f.written.Add(int64(k))
		if err == nil && n < end {
			err = io.ErrShortWrite
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Path returns the path of the temporary file. The function that At calls can open it to inspect the file, and must
// close it before it returns.
func (f *File) Path() string { return filepath.Join(f.target.folder.Name(), f.name) }

// Private restricts the permissions to the file's owner, regardless of the replaced file.
func (f *File) Private() error {
	f.private = true
	return f.file.Chmod(0o600)
}

func (f *File) prepareRename() error {
	old, err := f.target.statReplaceable() // its permissions may have changed
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
	if err := f.target.checkFolderUnchanged(); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := f.pieces.readBack(f.file); err != nil {
		return err
	}
	return f.ctx.Err()
}

// errNotRenamed is the error if a file has its old name after a successful rename.
var errNotRenamed = errors.New("renaming the file had no effect: the file system is faulty; write to another one")

// renameToTarget renames the file to its final name. It stays locked until then where open files can be renamed.
func (f *File) renameToTarget() error {
	if minLitterAge > 0 {
		if err := f.file.Close(); err != nil {
			return err
		}
	}
	if err := f.target.folder.Rename(f.name, f.target.name); err != nil {
		return err
	}
	switch _, err := f.target.folder.Lstat(f.name); {
	case err == nil:
		return errNotRenamed
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f.renamed = true
	return nil
}

// closeAndCleanUp closes the file, and removes it unless it was renamed. Errors are ignored, since the data was synced.
func (f *File) closeAndCleanUp() {
	if !f.renamed {
		_ = f.target.folder.Remove(f.name)
	}
	_ = f.file.Close()
}

// ErrNotStored is the error if a file differs from the data written, although every write succeeded.
var ErrNotStored = errors.New("it does not hold what was written to it: the disk or the file system is faulty; " +
	"write to another one")

type writtenBlock struct {
	at, end int64
	sum     uint64
}

// writtenBlocks records the writes of a file, which are read back before the file gets its name.
type writtenBlocks struct {
	mu     sync.Mutex
	blocks []writtenBlock
}

func (p *writtenBlocks) recordWrite(b []byte, at int64) {
	sum := xxhash.Sum64(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks = append(p.blocks, writtenBlock{at, at + int64(len(b)), sum})
}

// errWrittenTwice is the error if a byte was written twice, so that the expected value is unknown.
var errWrittenTwice = errors.New("a byte was written twice")

// readBack compares the file with all writes. The error matches ErrNotStored or comes from f.
func (p *writtenBlocks) readBack(f io.ReaderAt) error {
	slices.SortFunc(p.blocks, func(a, b writtenBlock) int { return cmp.Compare(a.at, b.at) })
	buffer := []byte(nil)
	end := int64(0)
	for _, one := range p.blocks {
		if one.at < end {
			return errWrittenTwice
		}
		end = one.end
		buffer = slices.Grow(buffer[:0], int(one.end-one.at)) // no more than writeBlock
		b := buffer[:one.end-one.at]
		if n, err := f.ReadAt(b, one.at); n < len(b) {
			if err == io.EOF || err == nil {
				return fmt.Errorf("byte %d: %w", one.at+int64(n), ErrNotStored)
			}
			return err
		}
		if xxhash.Sum64(b) != one.sum {
			return fmt.Errorf("bytes %d to %d: %w", one.at, one.end-1, ErrNotStored)
		}
	}
	return nil
}

// A system makes all operating system calls that publish a file. Tests record them and inject faults.
type system interface {
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)
	Readlink(path string) (string, error)
	OpenFolder(path string) (folder, error)
}

// A folder is an open directory. Names are relative to it.
type folder interface {
	Name() string // path that it was opened by
	Lstat(name string) (fs.FileInfo, error)
	Open(name string, flag int, mode fs.FileMode) (file, error)
	Rename(from, to string) error
	Remove(name string) error
	Close() error
}

type file interface {
	io.WriterAt
	io.ReaderAt
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Chown(uid, gid int) error
	Lock() error // errLocked if another process has the lock
	Sync() error
	Readdirnames(n int) ([]string, error)
	Close() error
}

type operatingSystem struct{}

func (operatingSystem) Stat(path string) (fs.FileInfo, error)  { return os.Stat(path) }
func (operatingSystem) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }
func (operatingSystem) Readlink(path string) (string, error)   { return os.Readlink(path) }

func (operatingSystem) OpenFolder(path string) (folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return openFolder{root}, nil
}

type openFolder struct{ *os.Root }

func (f openFolder) Open(name string, flag int, mode fs.FileMode) (file, error) {
	opened, err := f.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return openFile{opened}, nil
}

type openFile struct{ *os.File }

func (f openFile) Lock() error { return tryFlock(f.File) }

// maxInterrupted limits the retries of a call that signals interrupt.
const maxInterrupted = 1000

// LockFile locks a file for this process, until the process ends. supported is false on file systems without locks.
func LockFile(file *os.File) (locked, supported bool) { return tryLock(openFile{file}) }

func tryLock(f file) (locked, supported bool) {
	err := f.Lock()
	for try := 0; errors.Is(err, syscall.EINTR) && try < maxInterrupted; try++ {
		err = f.Lock()
	}
	return err == nil, err == nil || errors.Is(err, errLocked)
}
