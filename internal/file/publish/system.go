package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

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
