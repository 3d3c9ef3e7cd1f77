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

// A target is a file that is to be created or replaced.
type target struct {
	sys    system
	folder folder // its directory, held open so that no other takes its place
	path   string // of the directory, absolute: a program may change its own; empty if that is not known
	name   string // in the directory
	old    fs.FileInfo
}

// findTarget finds the file that a path leads to, which need not exist. It refuses
// directories, devices, pipes, and paths at which no file can be made.
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
		err = statErr // it may be a file without a name
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return t, nil
}

// findFolder opens the directory at a path without links.
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

// checkFolderUnchanged returns an error if the target's directory was removed, or another one has its path by now: nobody
// would find the file there.
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

// statReplaceable returns the info of the file, nil if there is none.
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

// maxLinks is how many symbolic links a path may lead through.
const maxLinks = 40

// followLinks returns where the file is that a path leads to: a directory, whose path has no symbolic links,
// and the file's name in it. From the first part on that does not exist the directory is as the path has it.
func followLinks(sys system, path string) (folder, name string, err error) {
	at, parts := splitPath(path)
	for links := 0; len(parts) > 0; {
		next := filepath.Join(at, parts[0]) // at has no links, so that .. is its parent
		info, err := sys.Lstat(next)
		last := len(parts) == 1
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return "", "", err // it may be a link
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

// splitPath returns the parts of a path, and where they begin: at a root, or at the current directory.
func splitPath(path string) (root string, parts []string) {
	volume := filepath.VolumeName(path)
	path = path[len(volume):]
	root = cmp.Or(volume, ".")
	if path != "" && os.IsPathSeparator(path[0]) {
		root = volume + separator
	}
	return root, strings.FieldsFunc(path, func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r)) })
}

// readTrustedLink reads a link in a directory, unless another user may have put it there to
// have another file replaced.
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

// CheckStream refuses a pipe or device that another user may have put at path: one reached by a link that At
// refuses, or a pipe in a sticky directory that all may write to. The error matches fs.ErrPermission.
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
	return nil // what has no name, as /proc/self/fd/1, is this process's own
}

// foreignFileError is the error of something that another user put into a directory that all may write to.
type foreignFileError string

func (f foreignFileError) Error() string {
	what, advice, _ := strings.Cut(string(f), ": ")
	return "it is another user's " + what + " in a folder that all may write to: " + advice
}

func (foreignFileError) Is(err error) bool { return err == fs.ErrPermission }
