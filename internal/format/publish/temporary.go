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

// Temporary files are named .profarc-HOST-NUMBER.tmp. The process that writes one holds
// its lock as long as it lives, so that one whose lock is free is litter. (O_TMPFILE
// would leave none. But such a file can only take a name that is free, so that replacing
// a file needs a temporary name after all; and not every file system supports it.)

const (
	temporaryPrefix  = ".profarc-"
	temporarySuffix  = ".tmp"
	temporaryPattern = temporaryPrefix + "????????-????????????????" + temporarySuffix
)

// hostTag marks the temporary files of this machine: locks may not work between machines.
var hostTag = func() string {
	name, _ := os.Hostname()
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return fmt.Sprintf("%08x", sum.Sum32())
}()

// createTemporary makes a new file in the target's directory. One that will replace a
// file has mode 0600 until it gets the permissions of that file. Another has the mode of
// a new file from the beginning, since the umask is applied then.
func (t *target) createTemporary(ctx context.Context) (*File, error) {
	mode := fs.FileMode(0o644)
	if t.old != nil {
		mode = 0o600
	}
	for {
		name := fmt.Sprintf("%s%s-%016x%s", temporaryPrefix, hostTag, rand.Uint64(), temporarySuffix)
		file, err := t.folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f := &File{ctx: ctx, file: file, target: t, name: name}
		if !f.lock() { // taken for litter before it was locked
			f.discard()
			continue
		}
		return f, nil
	}
}

// lock locks the file, and reports whether it still has its name then. On file systems
// without locks no file is taken for litter.
func (f *File) lock() bool {
	if locked, supported := LockFile(f.file); supported && !locked {
		return false
	}
	return isNamed(f.target.folder, f.name, f.file)
}

// isNamed reports whether a file has a name in a directory.
func isNamed(folder *os.Root, name string, file *os.File) bool {
	there, err1 := folder.Lstat(name)
	open, err2 := file.Stat()
	return err1 == nil && err2 == nil && os.SameFile(there, open)
}

// removeLitter removes temporary files whose processes have ended. It is no error if one cannot be removed.
func removeLitter(folder *os.Root) {
	f, err := folder.Open(".")
	if err != nil {
		return
	}
	defer f.Close()
	for err == nil {
		var names []string
		names, err = f.Readdirnames(1024)
		for _, name := range names {
			if ok, _ := path.Match(temporaryPattern, name); ok {
				removeIfDead(folder, name)
			}
		}
	}
}

// abandonedAfter is the age from which on a temporary file of another machine is
// litter if its lock is free. Names of machines change, such as names of containers.
const abandonedAfter = 24 * time.Hour

func removeIfDead(folder *os.Root, name string) {
	info, err := folder.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	least := abandonedAfter
	if strings.HasPrefix(name, temporaryPrefix+hostTag) {
		least = closedBefore
	}
	if time.Since(info.ModTime()) < least {
		return
	}
	f, err := folder.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if locked, _ := LockFile(f); locked && isNamed(folder, name, f) {
		_ = folder.Remove(name)
	}
}
