package archive

import (
	"context"
	"fmt"
	"io/fs"
)

// Publish creates or replaces the file at path with what write writes: to a
// temporary file in the same directory, which is synced and renamed; then the
// directory is synced. If write or any step before the renaming fails or panics,
// or ctx ends, the old file stays and the temporary one is removed. A program
// that is killed leaves a temporary file behind, named .profarc-*.tmp; the next
// Publish into the directory removes it.
//
// A file that is replaced passes on its permissions and, as far as this process
// may give them, its group and owner; where the group cannot be kept, neither
// group nor others may do what the other of the two may not. A new file gets
// 0644 less the umask. At no time does the temporary file have more permissions
// than the file at path. Other hard links to the file that is replaced keep the
// old content, and access control lists are not passed on.
//
// Where path is a symbolic link, the file it leads to is replaced, and the link
// stays. A link that somebody else made in a sticky directory that all may write
// to, as /tmp, is refused with fs.ErrPermission: it could lead anywhere.
func Publish(ctx context.Context, path string, write func(w *File) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := findTarget(path)
	if err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	defer t.folder.Close()
	removeLitter(t.folder)
	f, err := t.createTemporary(ctx)
	if err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	defer f.discard() // also if write panics
	if err := write(f); err != nil {
		return err
	}
	if err := f.finish(); err != nil {
		return fmt.Errorf("publish %s: %w", path, err)
	}
	if err := f.rename(); err != nil {
		return fmt.Errorf("publish %s: %w%s", path, err, renameHint)
	}
	if err := syncFolder(t.folder); err != nil {
		return fmt.Errorf("publish %s: it is in place, but may be gone after a power failure: %w", path, err)
	}
	return nil
}

// A missingFolder is the error of a file that is to be in a directory that is not
// there. It matches fs.ErrNotExist.
type missingFolder struct{ name string }

func (m missingFolder) Error() string {
	return "there is no folder " + m.name + ": create the folder first"
}

// HasAdvice reports true: see layout.Error.
func (m missingFolder) HasAdvice() bool { return true }

func (m missingFolder) Unwrap() error { return fs.ErrNotExist }
