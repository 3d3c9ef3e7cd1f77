//go:build unix && !aix

package publish

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// A faulty system makes all calls on the real one, except that some go wrong, and logs what they did to the files of a
// directory. It syncs nothing: what would be lost is the crash model's business.
type faulty struct {
	fault  *fault // nil if nothing goes wrong
	number int    // of the first call that goes wrong, from 1, among those that the fault is for
	always bool   // later ones do too
	killed int    // the call from which on the process is no more; 0: never

	log    *crashLog
	folder string // the directory that is logged
	names  []string
	seen   int // calls that the fault is for
	wrong  []string
	open   int // handles that were not closed
	all    []io.Closer
	made   int // files
}

// maxCalls is far more than a publishing makes: an endless loop ends in a panic.
const maxCalls = 20_000

// killed is what a call panics with from which on the process is no more.
type killed struct{}

// call notes a call, and returns the fault if it is to go wrong.
func (s *faulty) call(name string) *fault {
	s.names = append(s.names, name)
	if len(s.names) > maxCalls {
		panic("an endless loop of " + strings.Join(s.names[maxCalls-10:], ", "))
	}
	if s.killed > 0 && len(s.names) >= s.killed {
		panic(killed{})
	}
	if s.fault == nil || s.fault.in != nil && !slices.Contains(s.fault.in, name) {
		return nil
	}
	s.seen++
	if s.seen != s.number && !(s.always && s.seen > s.number) {
		return nil
	}
	s.wrong = append(s.wrong, name)
	return s.fault
}

// change makes a call that changes something: before the change, or after it, an error may come; it may be left out,
// and success reported. log notes the change.
func (s *faulty) change(name string, do func() error, log func()) error {
	f := s.call(name)
	if f != nil && f.lie {
		return nil
	}
	if f != nil && !f.after {
		return f.err
	}
	if err := do(); err != nil {
		return err
	}
	log()
	if f != nil {
		return f.err
	}
	return nil
}

// ask makes a call that changes nothing.
func ask[T any](s *faulty, name string, do func() (T, error)) (T, error) {
	if f := s.call(name); f != nil {
		var none T
		return none, f.err
	}
	return do()
}

func (s *faulty) Stat(path string) (fs.FileInfo, error) {
	return ask(s, "stat", func() (fs.FileInfo, error) { return os.Stat(path) })
}

func (s *faulty) Lstat(path string) (fs.FileInfo, error) {
	return ask(s, "lstat", func() (fs.FileInfo, error) { return os.Lstat(path) })
}

func (s *faulty) Readlink(path string) (string, error) {
	return ask(s, "readlink", func() (string, error) { return os.Readlink(path) })
}

func (s *faulty) OpenFolder(path string) (folder, error) {
	return ask(s, "open the folder", func() (folder, error) {
		f, err := operatingSystem{}.OpenFolder(path)
		if err != nil {
			return nil, err
		}
		s.opened(f)
		return faultyFolder{f, s}, nil
	})
}

type faultyFolder struct {
	folder
	s *faulty
}

func (f faultyFolder) Lstat(name string) (fs.FileInfo, error) {
	return ask(f.s, "lstat in the folder", func() (fs.FileInfo, error) { return f.folder.Lstat(name) })
}

func (f faultyFolder) Open(name string, flag int, mode fs.FileMode) (file, error) {
	var opened file
	open := func() (err error) {
		opened, err = f.folder.Open(name, flag, mode)
		return err
	}
	if flag&os.O_CREATE == 0 {
		if _, err := ask(f.s, "open", func() (any, error) { return nil, open() }); err != nil {
			return nil, err
		}
		f.s.opened(opened)
		return &faultyFile{file: opened, s: f.s}, nil
	}
	err := f.s.change("create", open, func() { f.s.made++; f.s.log.Create(f.s.made, name) })
	if err != nil {
		if opened != nil {
			opened.Close()
		}
		return nil, err
	}
	f.s.opened(opened)
	return &faultyFile{file: opened, s: f.s, id: f.s.made}, nil
}

func (f faultyFolder) Rename(from, to string) error {
	return f.s.change("rename", func() error { return f.folder.Rename(from, to) }, func() { f.s.log.Rename(from, to) })
}

func (f faultyFolder) Remove(name string) error {
	return f.s.change("remove", func() error { return f.folder.Remove(name) }, func() { f.s.log.Remove(name) })
}

func (f faultyFolder) Close() error {
	f.s.open--
	return f.s.closing(f.folder.Close)
}

// opened notes an open handle.
func (s *faulty) opened(c io.Closer) {
	s.open++
	s.all = append(s.all, c)
}

// closing closes, whatever it says about it.
func (s *faulty) closing(do func() error) error {
	err := do()
	if f := s.call("close"); f != nil {
		return f.err
	}
	return err
}

// A faultyFile is the directory if its number is 0.
type faultyFile struct {
	file
	s  *faulty
	id int
}

func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	wrong := f.s.call("write")
	if wrong == nil {
		return f.write(b, at)
	}
	if wrong.write != nil {
		return wrong.write(f, b, at)
	}
	return 0, wrong.err
}

// write writes and logs.
func (f *faultyFile) write(b []byte, at int64) (int, error) {
	n, err := f.file.WriteAt(b, at)
	f.s.log.Write(f.id, at, b[:n])
	return n, err
}

func (f *faultyFile) ReadAt(b []byte, at int64) (int, error) {
	wrong := f.s.call("read")
	if wrong == nil {
		return f.file.ReadAt(b, at)
	}
	if wrong.read != nil {
		return wrong.read(f, b, at)
	}
	return 0, wrong.err
}

func (f *faultyFile) Stat() (fs.FileInfo, error) { return ask(f.s, "stat of a file", f.file.Stat) }

func (f *faultyFile) Readdirnames(n int) ([]string, error) {
	return ask(f.s, "list", func() ([]string, error) { return f.file.Readdirnames(n) })
}

func nothing() {}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	return f.s.change("chmod", func() error { return f.file.Chmod(mode) }, nothing)
}

func (f *faultyFile) Chown(uid, gid int) error {
	return f.s.change("chown", func() error { return f.file.Chown(uid, gid) }, nothing)
}

func (f *faultyFile) Lock() error { return f.s.change("lock", f.file.Lock, nothing) }

func (f *faultyFile) Sync() error {
	wrong := f.s.call("sync")
	switch {
	case wrong != nil && wrong.lie:
		return nil
	case f.id == 0:
		f.s.log.SyncFolder(wrong == nil)
	default:
		f.s.log.SyncFile(f.id, wrong == nil)
	}
	if wrong != nil {
		return wrong.err
	}
	return nil
}

func (f *faultyFile) Close() error {
	f.s.open--
	return f.s.closing(f.file.Close)
}

// A fault is what goes wrong in a call.
type fault struct {
	name  string
	in    []string // the calls that it is for; nil: all
	err   error
	says  error // what the error says if it is not err
	after bool  // the error comes after the call had its effect
	lie   bool  // success is reported, and the call had none
	write func(f *faultyFile, b []byte, at int64) (int, error)
	read  func(f *faultyFile, b []byte, at int64) (int, error)
}

// filesOf returns the files of a directory, without links.
func filesOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			data, err := os.ReadFile(folder + "/" + e.Name())
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = bytes.Clone(data)
		}
	}
	return files
}
