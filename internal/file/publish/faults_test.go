//go:build unix && !aix

package publish

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// A publishing is one way of publishing the file app.parc in a directory, or of being refused.
type publishing struct {
	name    string
	old     []byte // nil: there is none
	private bool
	more    map[string]string // other files of the directory, and links as "-> TO"
	path    string            // from the directory; empty: app.parc
	err     string            // part of the error without a fault; empty: it succeeds
	own     error             // of the function that writes
}

const (
	modelBlock = 512
	litter     = "-0123456789abcdef.tmp"
)

var (
	oldFile = bytes.Repeat([]byte("old "), 400)
	newFile = slices.Concat(bytes.Repeat([]byte("a"), 700), bytes.Repeat([]byte("b"), 500), bytes.Repeat([]byte("c"), 900))
	errOwn  = errors.New("an error of the caller's")
)

var publishings = []publishing{
	{name: "a new file"},
	{name: "a file replaced", old: oldFile},
	{name: "a file replaced through links", old: oldFile, path: "../links/one",
		more: map[string]string{"../links/one": "-> two", "../links/two": "-> ../files/app.parc"}},
	{name: "a new file through a link", path: "../links/one",
		more: map[string]string{"../links/one": "-> ../files/app.parc"}},
	{name: "a private file", old: oldFile, private: true},
	{name: "beside litter", old: oldFile, more: map[string]string{temporaryPrefix + hostTag + litter: "litter"}},
	{name: "an error of the caller's", old: oldFile, own: errOwn, err: errOwn.Error()},
	{name: "a directory", old: oldFile, path: ".", err: "it is a folder"},
	{name: "a loop", old: oldFile, path: "loop", more: map[string]string{"loop": "-> loop"}, err: "symbolic links"},
	{name: "in no directory", old: oldFile, path: "none/app.parc", err: "create the folder first"},
	{name: "in a file", old: oldFile, path: "app.parc/app.parc", err: "not a folder"},
	{name: "through a link to no directory", path: "link", more: map[string]string{"link": "-> none/app.parc"},
		err: "create the folder first"},
	{name: "a pipe without a name", old: oldFile, path: "../links/pipe", err: "a file without a name",
		more: map[string]string{"../links/pipe": "-> /proc/self/fd/PIPE"}},
}

// arrange makes the files of a publishing, and no others, in a directory in top. pipe is an open pipe.
func (p *publishing) arrange(t *testing.T, top string, pipe *os.File) (folder, path string) {
	t.Helper()
	folder = filepath.Join(top, "files")
	files := map[string][]byte{}
	if p.old != nil {
		files["app.parc"] = p.old
	}
	for name, what := range p.more {
		if to, ok := strings.CutPrefix(what, "-> "); ok {
			to = strings.Replace(to, "PIPE", fmt.Sprint(pipe.Fd()), 1)
			if err := os.Symlink(to, filepath.Join(folder, name)); err != nil && !errors.Is(err, os.ErrExist) {
				t.Fatal(err)
			}
		} else {
			files[name] = []byte(what)
		}
	}
	leave(t, folder, files)
	return folder, folder + "/" + cmp.Or(p.path, "app.parc")
}

// leave makes a directory have these files, and no others.
func leave(t *testing.T, folder string, files map[string][]byte) {
	t.Helper()
	for name := range filesOf(t, folder) {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// run publishes on a system.
func (p *publishing) run(t *testing.T, s *faulty, folder, path string) error {
	t.Helper()
	s.folder, s.log = folder, newCrashLog(modelBlock, filesOf(t, folder))
	return publishOn(t.Context(), s, path, func(f *File) error {
		if p.private {
			if err := f.Private(); err != nil {
				return err
			}
		}
		for _, piece := range [][2]int{{1200, 2100}, {0, 700}, {700, 1200}} {
			if _, err := f.WriteAt(newFile[piece[0]:piece[1]], int64(piece[0])); err != nil {
				return err
			}
		}
		return p.own
	})
}

// check checks what a publishing left, whether or not it was disturbed.
func (p *publishing) check(t *testing.T, s *faulty, err error) (states int, problem error) {
	t.Helper()
	if err == nil && p.err != "" {
		return 0, fmt.Errorf("it was to fail with %q", p.err)
	}
	files := filesOf(t, s.folder)
	got, exists := files["app.parc"]
	isOld := exists == (p.old != nil) && bytes.Equal(got, p.old)
	isNew := exists && bytes.Equal(got, newFile)
	if !isNew && (!isOld || err == nil) {
		return 0, fmt.Errorf("%d bytes are there, the error is %v", len(got), err)
	}
	for name := range files {
		if name != "app.parc" && p.more[name] == "" && !slices.Contains(s.wrong, "remove") {
			return 0, fmt.Errorf("%s is left", name)
		}
	}
	for name, what := range p.more {
		if _, failed := os.Readlink(filepath.Join(s.folder, name)); failed != nil && strings.HasPrefix(what, "-> ") {
			return 0, failed
		}
	}
	if s.open != 0 {
		return 0, fmt.Errorf("%d files are open", s.open)
	}
	if s.fault != nil && s.fault.lie && slices.Contains(s.wrong, "sync") {
		return 0, nil // nobody can notice that
	}
	return crashedPublishing{Target: "app.parc", Old: p.old, New: newFile, Succeeded: err == nil}.Check(s.log)
}

// mayFailWith reports whether an error says what went wrong.
func (p *publishing) mayFailWith(err error, f *fault) bool {
	said := f.err != nil && (errors.Is(err, f.err) || errors.Is(err, f.says))
	return said || p.err != "" && strings.Contains(err.Error(), p.err)
}

// again publishes without a fault, if there is anything to remove. Nothing but the new file is there then.
func (p *publishing) again(t *testing.T, folder, path string) error {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(folder, temporaryPattern)); p.err != "" || len(left) == 0 {
		return err // it would be the same again
	}
	if err := p.run(t, &faulty{}, folder, path); err != nil {
		return err
	}
	files := filesOf(t, folder)
	if !bytes.Equal(files["app.parc"], newFile) || len(files) != 1 {
		return fmt.Errorf("after the next publishing %d bytes and %d files are there: %q", len(files["app.parc"]),
			len(files), slices.Sorted(maps.Keys(files)))
	}
	return nil
}

func dropped(_ *faultyFile, b []byte, _ int64) (int, error) { return len(b), nil }

func half(f *faultyFile, b []byte, at int64) (int, error) { return f.write(b[:len(b)/2], at) }

// faults are all that can go wrong in a call.
var faults = func() (all []fault) {
	for _, err := range []error{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EINTR} {
		all = append(all, fault{name: err.Error(), err: err})
	}
	write, read := []string{"write"}, []string{"read"}
	return append(all,
		fault{name: "an error after the effect", err: syscall.EIO, after: true,
			in: []string{"create", "rename", "remove", "chmod", "chown", "lock"}},
		fault{name: "the disk is full after half", err: syscall.ENOSPC, in: write,
			write: func(f *faultyFile, b []byte, at int64) (int, error) {
				n, _ := half(f, b, at)
				return n, syscall.ENOSPC
			}},
		fault{name: "an error after half", err: syscall.EIO, in: read,
			read: func(_ *faultyFile, b []byte, _ int64) (int, error) { return len(b) / 2, syscall.EIO }},
		fault{name: "half is written", in: write, err: io.ErrShortWrite, write: half},
		fault{name: "nothing is written, without an error", in: write, err: io.ErrShortWrite,
			write: func(*faultyFile, []byte, int64) (int, error) { return 0, nil }},
		fault{name: "a lie about a write", in: write, err: ErrNotStored, write: dropped},
		fault{name: "a lie about half a write", in: write, err: ErrNotStored,
			write: func(f *faultyFile, b []byte, at int64) (int, error) { _, err := half(f, b, at); return len(b), err }},
		fault{name: "written elsewhere", in: write, err: ErrNotStored,
			write: func(f *faultyFile, b []byte, at int64) (int, error) { return f.write(b, at+1) }},
		fault{name: "zeros are written", in: write, err: ErrNotStored,
			write: func(f *faultyFile, b []byte, at int64) (int, error) { return f.write(make([]byte, len(b)), at) }},
		fault{name: "a bit is changed", in: write, err: ErrNotStored,
			write: func(f *faultyFile, b []byte, at int64) (int, error) {
				b = bytes.Clone(b)
				b[len(b)/2] ^= 4
				return f.write(b, at)
			}},
		fault{name: "half is read, without an error", in: read, err: ErrNotStored,
			read: func(f *faultyFile, b []byte, at int64) (int, error) { return f.file.ReadAt(b[:len(b)/2], at) }},
		fault{name: "zeros are read", in: read, err: ErrNotStored,
			read: func(_ *faultyFile, b []byte, _ int64) (int, error) { clear(b); return len(b), nil }},
		fault{name: "the file is locked", in: []string{"lock"}, err: errLocked, says: errTaken},
		fault{name: "the name is taken", in: []string{"create"}, err: os.ErrExist},
		fault{name: "a lie about a lock", in: []string{"lock"}, lie: true},
		fault{name: "a lie about a sync", in: []string{"sync"}, lie: true},
		fault{name: "a lie about a renaming", in: []string{"rename"}, err: errNotRenamed, lie: true},
		fault{name: "a lie about a removal", in: []string{"remove"}, lie: true},
		fault{name: "a lie about permissions", in: []string{"chmod", "chown"}, lie: true})
}()

// eachPublishing runs a test for each way of publishing.
func eachPublishing(t *testing.T, test func(t *testing.T, p *publishing, arrange func() (folder, path string))) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for i := range publishings {
		p := &publishings[i]
		if strings.Contains(p.name, "pipe") && runtime.GOOS != "linux" {
			continue // without links to open files
		}
		t.Run(p.name, func(t *testing.T) {
			top := t.TempDir()
			err := errors.Join(os.Mkdir(filepath.Join(top, "files"), 0o700), os.Mkdir(filepath.Join(top, "links"), 0o700))
			if err != nil {
				t.Fatal(err)
			}
			test(t, p, func() (folder, path string) { return p.arrange(t, top, w) })
		})
	}
}

// TestEveryFault lets each call of each way of publishing go wrong, once and from then on, in each way: the old file is
// there or the new one, whole, and after success the new one, also after a crash. The error says what went wrong.
// Nothing is left behind, and no file is open; the next publishing works.
func TestEveryFault(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	all, states := 0, 0
	eachPublishing(t, func(t *testing.T, p *publishing, arrange func() (folder, path string)) {
		for i := range 2 * len(faults) {
			f, always := &faults[i/2], i%2 == 1
			for number := 1; ; number++ {
				folder, path := arrange()
				s := &faulty{fault: f, number: number, always: always}
				err := p.run(t, s, folder, path)
				if len(s.wrong) == 0 {
					break // there are fewer calls
				}
				all++
				n, problem := p.check(t, s, err)
				if err != nil && !p.mayFailWith(err, f) || err == nil && f.err == ErrNotStored {
					problem = errors.Join(problem, fmt.Errorf("the error is %v", err))
				}
				if problem = errors.Join(problem, p.again(t, folder, path)); problem != nil {
					t.Errorf("%s in %q, call %d, later ones too: %v: %v", f.name, s.wrong[0], number, always, problem)
				}
				states += n
			}
		}
	})
	t.Logf("%d faults, %d states after a crash", all, states)
	if !t.Failed() && all < 1500 {
		t.Errorf("only %d faults", all)
	}
}

// TestEveryCrash publishes without a fault. Whatever a crash leaves, after any call, the file is the old one or the new
// one, and the next publishing removes what else is there.
func TestEveryCrash(t *testing.T) {
	t.Parallel()
	states := 0
	eachPublishing(t, func(t *testing.T, p *publishing, arrange func() (folder, path string)) {
		folder, path := arrange()
		s := &faulty{}
		err := p.run(t, s, folder, path)
		if (err == nil) != (p.err == "") {
			t.Fatal(err)
		}
		if _, err := p.check(t, s, err); err != nil {
			t.Error(err)
		}
		folder, path = arrange()
		s = &faulty{}
		_ = p.run(t, s, folder, path)
		states += s.log.Crashes("app.parc", func(c crashState) bool {
			after, path := arrange()
			leave(t, after, c.Files)
			if err := p.again(t, after, path); err != nil {
				t.Errorf("after call %d: %q: %v", c.Calls, c.Names, err)
			}
			return !t.Failed()
		})
	})
	t.Logf("%d states after a crash", states)
}

// TestEveryKill ends the process before each call: the old file is there or the new one, and the next publishing
// removes what was left.
func TestEveryKill(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	kills := 0
	eachPublishing(t, func(t *testing.T, p *publishing, arrange func() (folder, path string)) {
		for n := 1; ; n++ {
			folder, path := arrange()
			s := &faulty{killed: n}
			if v := panicOf(func() { _ = p.run(t, s, folder, path) }); v == nil {
				break
			} else if v != (killed{}) {
				panic(v)
			}
			for _, handle := range s.all {
				handle.Close() // as the system does
			}
			kills++
			got := filesOf(t, folder)["app.parc"]
			if !bytes.Equal(got, p.old) && !bytes.Equal(got, newFile) {
				t.Errorf("killed before call %d: %d bytes are there", n, len(got))
			}
			if err := p.again(t, folder, path); err != nil {
				t.Errorf("killed before call %d: %v", n, err)
			}
		}
	})
	t.Logf("killed %d times", kills)
}

// A signal that interrupts the request for a lock changes nothing: litter is removed, and the new file is locked.
func TestInterruptedLock(t *testing.T) {
	p := publishing{old: oldFile, more: map[string]string{temporaryPrefix + hostTag + litter: "litter"}}
	for number := 1; number <= 3; number++ {
		top := t.TempDir()
		if err := os.Mkdir(filepath.Join(top, "files"), 0o700); err != nil {
			t.Fatal(err)
		}
		folder, path := p.arrange(t, top, nil)
		s := &faulty{fault: &fault{in: []string{"lock"}, err: syscall.EINTR}, number: number}
		err := p.run(t, s, folder, path)
		if files := filesOf(t, folder); err != nil || len(files) != 1 || len(s.wrong) != min(1, 3-number) {
			t.Errorf("interrupted in lock %d: %d files, %q, %v", number, len(files), s.wrong, err)
		}
	}
}

// A directory that is moved or removed while the file is written is an error: nobody would find the file in it.
func TestFolderIsMovedMeanwhile(t *testing.T) {
	for _, test := range []struct {
		name, want string
		after      func(folder string) error
	}{
		{"moved", "create the folder first", func(string) error { return nil }},
		{"another one", "another folder", func(folder string) error { return os.Mkdir(folder, 0o700) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "files")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			err := At(t.Context(), filepath.Join(folder, "app.parc"), func(*File) error {
				return errors.Join(os.Rename(folder, folder+".moved"), test.after(folder))
			})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v", test.name, err)
			}
			wantFolder(t, folder+".moved", nil)
		})
	}
}

// A program may change its directory meanwhile.
func TestDirectoryOfTheProgramChanges(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	err := At(t.Context(), "app.parc", func(f *File) error {
		return errors.Join(os.Mkdir("below", 0o700), os.Chdir("below"), writeAll("x")(f))
	})
	if got, _ := os.ReadFile(filepath.Join(folder, "app.parc")); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
