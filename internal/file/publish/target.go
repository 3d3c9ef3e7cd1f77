package publish

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

type target struct {
	sys    system
	folder folder // directory, held open so that it cannot be replaced
	path   string // absolute path of the directory, since the process may change its own; empty if unknown
	name   string // name in the directory
	old    fs.FileInfo
}

// findTarget finds the file at a path, following links. The file need not exist. Directories, devices, pipes and
// paths at which no file can be created are errors.
func findTarget(sys system, path string) (*target, error) {
	_, statErr := sys.Stat(path)
	at, name, err := followLinks(sys, path)
	if err != nil {
		return nil, err
	}
	in, err := findFolder(sys, at)
	if err != nil {
		return nil, err
	}
	t := &target{sys: sys, folder: in, name: name}
	t.path, err = filepath.Abs(at)
	if err != nil {
		t.path = ""
	}
	t.old, err = t.statReplaceable()
	switch {
	case err != nil || t.old != nil:
	case os.IsPathSeparator(path[len(path)-1]):
		err = missingFolderError{path}
	case statErr == nil:
		err = errors.New("it leads to a file without a name, as a pipe or one that was removed: name an ordinary file")
	case !errors.Is(statErr, fs.ErrNotExist):
		err = statErr // possibly a file without a name
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return t, nil
}

func findFolder(sys system, path string) (folder, error) {
	info, err := sys.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missingFolderError{strings.TrimSuffix(path, separator)}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder", path)
	}
	return sys.OpenFolder(path)
}

func (t *target) checkFolderUnchanged() error {
	if t.path == "" {
		return nil
	}
	there, err := t.sys.Lstat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return missingFolderError{t.path}
	}
	open, err2 := t.folder.Lstat(".")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if !os.SameFile(there, open) {
		return fmt.Errorf("%s is another folder than before: publish again", t.path)
	}
	return nil
}

func (t *target) statReplaceable() (fs.FileInfo, error) {
	info, err := t.folder.Lstat(t.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder: name a file in it")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is a device or a pipe: name an ordinary file")
	}
	return info, nil
}

// maxLinks limits the symbolic links of a path.
const maxLinks = 40

// followLinks returns the directory and the name of the file at a path. The directory's path has no symbolic links.
// From the first part that does not exist, it is spelled as in path.
func followLinks(sys system, path string) (folder, name string, err error) {
	at, parts := splitPath(path)
	for links := 0; len(parts) > 0; {
		next := filepath.Join(at, parts[0]) // .. is the parent, since at has no links
		info, err := sys.Lstat(next)
		last := len(parts) == 1
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return "", "", err // possibly a link
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return "", "", fmt.Errorf("more than %d symbolic links", maxLinks)
			}
			to, err := readTrustedLink(sys, at, next, info)
			if err != nil {
				return "", "", err
			}
			root, more := splitPath(to)
			if root != "." {
				at = root
			}
			parts = append(more, parts[1:]...)
		case last && parts[0] != "..":
			return at, parts[0], nil
		case err != nil && !last:
			return next + separator + strings.Join(parts[1:len(parts)-1], separator), parts[len(parts)-1], nil
		default:
			at = next
			parts = parts[1:]
		}
	}
	return at, ".", nil
}

const separator = string(filepath.Separator)

func splitPath(path string) (root string, parts []string) {
	volume := filepath.VolumeName(path)
	path = path[len(volume):]
	root = cmp.Or(volume, ".")
	if path != "" && os.IsPathSeparator(path[0]) {
		root = volume + separator
	}
	return root, strings.FieldsFunc(path, func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r)) })
}

// readTrustedLink reads a link in a directory, unless another user may have created it to redirect the write.
func readTrustedLink(sys system, folder, link string, info fs.FileInfo) (to string, err error) {
	in, err := sys.Lstat(folder)
	if err != nil {
		return "", err
	}
	if !isTrusted(in, info) {
		return "", &fs.PathError{Op: "follow", Path: link, Err: foreignFileError("symbolic link: name the file it leads to")}
	}
	return sys.Readlink(link)
}

// CheckStream returns an error for a pipe or device at path that another user may have put there: one behind a link
// that At rejects, or a pipe in a sticky directory that all users can write to. The error matches fs.ErrPermission.
func CheckStream(path string) error {
	sys := operatingSystem{}
	folder, name, err := followLinks(sys, path)
	if err != nil {
		return err
	}
	in, err := sys.Lstat(folder)
	if err != nil {
		return err
	}
	file, err := sys.Lstat(filepath.Join(folder, name))
	if err == nil && !isTrusted(in, file) {
		return &fs.PathError{Op: "open", Path: path, Err: foreignFileError("pipe: name one of your own")}
	}
	return nil // files without a name, such as /proc/self/fd/1, belong to this process
}

// foreignFileError is the error for a file of another user in a directory that all users can write to.
type foreignFileError string

func (f foreignFileError) Error() string {
	what, advice, _ := strings.Cut(string(f), ": ")
	return "it is another user's " + what + " in a folder that all may write to: " + advice
}

func (foreignFileError) Is(err error) bool { return err == fs.ErrPermission }
