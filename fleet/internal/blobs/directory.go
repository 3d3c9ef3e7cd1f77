package blobs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/profarc/profarc/internal/cli"
)

// replaceInDirectory implements ReplaceFile for a directory. Other processes that replace the file wait for the lock.
func replaceInDirectory(ctx context.Context, l Location, from io.Reader, old Version) error {
	path := l.String()
	unlock, err := lockFile(ctx, filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	now, err := versionOfFile(path)
	if err != nil {
		return err
	}
	if now != old {
		return fmt.Errorf("%s: %w", l, ErrChanged)
	}
	return cli.Publish(ctx, path, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// versionOfFile returns the version of a file, zero without a file.
func versionOfFile(path string) (Version, error) {
	f, err := cli.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Version{}, nil
	}
	if err != nil {
		return Version{}, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return Version{tag: string(sum.Sum(nil))}, err
}

// lockPause is the time between two attempts to lock a file.
const lockPause = 20 * time.Millisecond

// lockFile creates and locks a file, and waits for another process that has it locked. The lock ends with the process.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	for {
		f, err := createFile(path)
		if err != nil {
			return nil, err
		}
		err = tryLock(f)
		if err == nil && isAt(f, path) {
			return func() {
				_ = os.Remove(path) // a process that has it open sees that it is gone
				f.Close()
			}, nil
		}
		f.Close()
		if err != nil && !errors.Is(err, errLocked) {
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}

// isAt reports whether an open file still has its name.
func isAt(f *os.File, path string) bool {
	open, err1 := f.Stat()
	there, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, there)
}

var errLocked = errors.New("another process has locked it")
