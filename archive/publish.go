package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Publish creates or replaces the file at path with what write writes: to a
// temporary file in the same folder, which is synced and renamed; then the
// folder is synced. If write or any step before the renaming fails or panics,
// or ctx ends, the old file stays and the temporary one is removed. A program
// that is killed leaves the temporary file behind, named .profarc-*.tmp.
//
// A file that is replaced passes its permissions on; a new one gets 0644 less
// the umask. Where path is a symbolic link, the file it leads to is replaced,
// and the link stays.
func Publish(ctx context.Context, path string, write func(w *File) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	target, err := followLinks(path)
	if err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	old, err := replaceable(target)
	if err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	f, err := createTemporary(ctx, folderOf(target))
	if err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	renamed := false
	defer func() {
		if !renamed { // also if write panics
			f.discard()
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.finish(old); err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	if err := os.Rename(f.file.Name(), target); err != nil {
		return fmt.Errorf("publish %s: %w%s", path, err, renameHint)
	}
	renamed = true
	if err := syncFolder(folderOf(target)); err != nil {
		return fmt.Errorf("publish %s: it is in place, but may be gone after a power failure: %w", path, err)
	}
	return nil
}

// maxLinks is how many symbolic links may lead from one to the next.
const maxLinks = 40

// followLinks gives the path of the file that path leads to, which need not
// exist.
func followLinks(path string) (string, error) {
	for range maxLinks {
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link, or nothing there
		}
		if !filepath.IsAbs(next) {
			next = folderOf(path) + string(filepath.Separator) + next
		}
		path = next
	}
	return "", fmt.Errorf("more than %d symbolic links", maxLinks)
}

// folderOf is the folder that a path names, as it is written: what .. means
// depends on links in the path, so that filepath.Dir may name another.
func folderOf(path string) string {
	folder, _ := filepath.Split(path)
	return cmp.Or(folder, ".")
}

// replaceable gives what is known of the file at path, nil if there is none. It
// refuses what a renaming would destroy, or could not be made in.
func replaceable(path string) (fs.FileInfo, error) {
	folder := folderOf(path)
	if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil, missingFolder{strings.TrimSuffix(folder, string(filepath.Separator))}
	} else if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", folder)
	}
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("it is a folder: name a file in it")
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("it is a device or a pipe: name an ordinary file")
	}
	return info, nil
}

// A missingFolder is the error of a file that is to be in a folder that is not
// there. It matches fs.ErrNotExist.
type missingFolder struct{ name string }

func (m missingFolder) Error() string {
	return "there is no folder " + m.name + ": create the folder first"
}

func (m missingFolder) Unwrap() error { return fs.ErrNotExist }

// createTemporary makes a new file in folder.
func createTemporary(ctx context.Context, folder string) (*File, error) {
	for {
		name := filepath.Join(folder, fmt.Sprintf(".profarc-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &File{ctx: ctx, file: f}, nil
	}
}
