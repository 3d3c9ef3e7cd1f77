package publish

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"time"
)

// Temporary files are named .profarc-HOST-NUMBER.tmp. The writing process holds the file's lock while it lives, so a
// file that is not locked is litter. (O_TMPFILE would leave no litter, but such a file can only be linked to a free
// name. Replacing a file would need a temporary name after all, and not every file system supports it.)

const (
	temporaryPrefix  = ".profarc-"
	temporarySuffix  = ".tmp"
	temporaryPattern = temporaryPrefix + "????????-????????????????" + temporarySuffix
)

// hostTag marks the temporary files of this machine, since locks may not work between machines.
var hostTag = func() string {
	name, _ := os.Hostname()
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return fmt.Sprintf("%08x", sum.Sum32())
}()

// createTemporary creates a file in the target's directory. If it will replace a file it has mode 0600 until it gets
// that file's permissions. Otherwise it has the final mode from the beginning, since the umask is applied then.
func (t *target) createTemporary(ctx context.Context) (*File, error) {
	mode := fs.FileMode(0o644)
	if t.old != nil {
		mode = 0o600
	}
	var f *File
	err := errTaken
	for try := 0; try < maxTemporaries && (errors.Is(err, errTaken) || errors.Is(err, fs.ErrExist)); try++ {
		f, err = t.openTemporary(ctx, mode)
	}
	return f, err
}

const maxTemporaries = 100

var errTaken = errors.New("another process locks or removes the temporary files as soon as they are made")

func (t *target) openTemporary(ctx context.Context, mode fs.FileMode) (*File, error) {
	name := fmt.Sprintf("%s%s-%016x%s", temporaryPrefix, hostTag, rand.Uint64(), temporarySuffix)
	opened, err := t.folder.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		if !errors.Is(err, fs.ErrExist) {
			_ = t.folder.Remove(name) // some systems fail after creating it
		}
		return nil, err
	}
	f := &File{ctx: ctx, file: opened, target: t, name: name}
	if err := f.lockTemporary(); err != nil {
		f.closeAndCleanUp()
		return nil, err
	}
	return f, nil
}

// lockTemporary locks the file. The error matches errTaken if another process has locked it or it has lost its name.
// On file systems without locks no file is treated as litter.
func (f *File) lockTemporary() error {
	if locked, supported := tryLock(f.file); supported && !locked {
		return errTaken
	}
	named, err := hasName(f.target.folder, f.name, f.file)
	if err == nil && !named {
		err = errTaken
	}
	return err
}

func hasName(in folder, name string, f file) (bool, error) {
	there, err := in.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	open, err2 := f.Stat()
	if err := errors.Join(err, err2); err != nil {
		return false, err
	}
	return os.SameFile(there, open), nil
}

// removeLitter removes temporary files of ended processes. Errors are ignored.
func removeLitter(in folder) {
	f, err := in.Open(".", os.O_RDONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	for err == nil {
		var names []string
		names, err = f.Readdirnames(1024)
		for _, name := range names {
			if ok, _ := path.Match(temporaryPattern, name); ok {
				removeIfDead(in, name)
			}
		}
	}
}

// abandonedAfter is the age from which an unlocked temporary file of another machine is litter. Machine names change,
// for instance in containers.
const abandonedAfter = 24 * time.Hour

func removeIfDead(in folder, name string) {
	info, err := in.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	least := abandonedAfter
	if strings.HasPrefix(name, temporaryPrefix+hostTag) {
		least = minLitterAge
	}
	if time.Since(info.ModTime()) < least {
		return
	}
	f, err := in.Open(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if locked, _ := tryLock(f); !locked {
		return
	}
	if named, _ := hasName(in, name, f); named {
		_ = in.Remove(name)
	}
}

// CreateUnnamed creates an empty file without a name in a directory. It disappears whenever this process ends, and
// nobody who empties the directory can remove it before. On Windows it has a name until it is closed.
func CreateUnnamed(folder string) (*os.File, error) {
	f, err := openUnnamed(folder)
	if errors.Is(err, errors.ErrUnsupported) {
		f, err = createAndRemove(folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missingFolderError{folder}
	}
	return f, err
}

// createAndRemove is for file systems without unnamed files.
func createAndRemove(folder string) (*os.File, error) {
	f, err := os.CreateTemp(folder, temporaryPrefix+"spool-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}
