package publish

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Users that need not exist.
const (
	somebody     = 54321
	somebodyElse = 54322
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("it takes root to give files away")
	}
}

// as runs f with the rights of another user and group on files.
func as(t *testing.T, uid, gid int, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with the goroutine
		syscall.RawSyscall(syscall.SYS_SETFSGID, uintptr(gid), 0, 0)
		syscall.RawSyscall(syscall.SYS_SETFSUID, uintptr(uid), 0, 0)
		f()
	}()
	<-done
}

// A link that somebody else made where all may make some is not followed,
// whether the system would follow it or not.
func TestForeignLinksAreRefused(t *testing.T) {
	needRoot(t)
	for _, test := range []struct {
		name         string
		mode         fs.FileMode
		folder, link int // owners
		refused      bool
	}{
		{"of somebody else", fs.ModeSticky | 0o777, 0, somebody, true},
		{"of somebody else in a folder of a third", fs.ModeSticky | 0o777, somebodyElse, somebody, true},
		{"one's own", fs.ModeSticky | 0o777, somebody, 0, false},
		{"of the folder's owner", fs.ModeSticky | 0o777, somebody, somebody, false},
		{"in a folder that is not sticky", 0o777, 0, somebody, false},
		{"in a folder that only some may write to", fs.ModeSticky | 0o775, 0, somebody, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			far := t.TempDir()
			mine := filepath.Join(far, "mine.parc")
			all := filepath.Join(t.TempDir(), "all")
			err := errors.Join(os.WriteFile(mine, []byte("mine"), 0o600), os.Mkdir(all, 0o700), os.Chmod(all, test.mode),
				os.Chown(all, test.folder, 0),
				os.Symlink(mine, filepath.Join(all, "app.parc")), os.Lchown(filepath.Join(all, "app.parc"), test.link, 0),
				os.Symlink(far, filepath.Join(all, "folder")), os.Lchown(filepath.Join(all, "folder"), test.link, 0))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{filepath.Join(all, "app.parc"), filepath.Join(all, "folder", "mine.parc")} {
				err := At(t.Context(), path, writeAll("other"))
				if refused := errors.Is(err, fs.ErrPermission); refused != test.refused || !refused && err != nil {
					t.Errorf("%s: %v", test.name, err)
				}
				if err != nil && !strings.Contains(err.Error(), "name the file it leads to") {
					t.Errorf("%s: it is not said what to do: %v", test.name, err)
				}
				if got, _ := os.ReadFile(mine); (string(got) == "mine") != test.refused {
					t.Errorf("%s: the file holds %q", test.name, got)
				}
			}
		})
	}
}

// A pipe that somebody else made where all may make some is not written to.
func TestForeignPipesAreRefused(t *testing.T) {
	needRoot(t)
	folder := filepath.Join(t.TempDir(), "all")
	pipe, link := filepath.Join(folder, "pipe"), filepath.Join(folder, "link")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Chmod(folder, fs.ModeSticky|0o777), syscall.Mkfifo(pipe, 0o666),
		os.Symlink(os.DevNull, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, os.DevNull, "/dev/stdout", "/proc/self/fd/1"} {
		if err := CheckStream(path); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(os.Chown(pipe, somebody, 0), os.Lchown(link, somebody, 0)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		if err := CheckStream(path); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Owner and group stay where this process may give them. Where it may not, nobody
// gets a right that he did not have.
func TestPublishKeepsTheOwner(t *testing.T) {
	needRoot(t)
	for _, test := range []struct {
		name            string
		as              int
		uid, gid        int
		mode            fs.FileMode
		newUID, newGID  int
		newMode         fs.FileMode
		groupOfTheMaker int
	}{
		{"root", 0, somebody, somebodyElse, 0o640, somebody, somebodyElse, 0o640, 0},
		{"one's own group", somebody, somebodyElse, somebody, 0o660, somebody, somebody, 0o660, somebody},
		{"a foreign group", somebody, 0, 0, 0o664, somebody, somebody, 0o644, somebody},
		{"a foreign group alone", somebody, 0, 0, 0o660, somebody, somebody, 0o600, somebody},
		{"a foreign group that may less", somebody, 0, 0, 0o604, somebody, somebody, 0o600, somebody},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "app.parc")
			for at := folder; at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
				os.Chmod(at, 0o777)
			}
			if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, test.mode),
				os.Chown(path, test.uid, test.gid)); err != nil {
				t.Fatal(err)
			}
			as(t, test.as, test.groupOfTheMaker, func() {
				if err := At(t.Context(), path, writeAll("new")); err != nil {
					t.Errorf("%s: %v", test.name, err)
				}
			})
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			stat := info.Sys().(*syscall.Stat_t)
			got := fmt.Sprint(stat.Uid, stat.Gid, info.Mode())
			if want := fmt.Sprint(test.newUID, test.newGID, test.newMode); got != want {
				t.Errorf("%s: %s, want %s", test.name, got, want)
			}
			wantFolder(t, folder, map[string]string{"app.parc": "new"})
		})
	}
}

// A disk that is full leaves the old file, and nothing else.
func TestFullDiskLeavesTheOldFile(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no small disk: ", err)
	}
	defer syscall.Unmount(folder, 0)
	path := filepath.Join(folder, "app.parc")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := At(t.Context(), path, func(f *File) error {
		_, err := f.WriteAt(bytes.Repeat([]byte("x"), 2<<20), 0)
		return err
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	wantFolder(t, folder, map[string]string{"app.parc": "old"})
}

// A path that leads to a file without a name cannot be published to.
func TestFileWithoutANameIsRefused(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	gone, err := os.Create(filepath.Join(t.TempDir(), "gone"))
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	if err := os.Remove(gone.Name()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []*os.File{w, gone} {
		path := filepath.Join(t.TempDir(), "app.parc")
		if err := os.Symlink(fmt.Sprintf("/proc/self/fd/%d", file.Fd()), path); err != nil {
			t.Fatal(err)
		}
		if err := At(t.Context(), path, writeAll("x")); err == nil ||
			!strings.Contains(err.Error(), "name an ordinary file") {
			t.Errorf("%s: %v", file.Name(), err)
		}
	}
}

// Somebody who may not read a folder is told before anything is written.
func TestUnreadableFolderIsRefusedEarly(t *testing.T) {
	needRoot(t)
	folder := filepath.Join(t.TempDir(), "drop")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Chmod(filepath.Dir(folder), 0o777),
		os.Chmod(filepath.Dir(filepath.Dir(folder)), 0o777), os.Chmod(folder, 0o733)); err != nil {
		t.Fatal(err)
	}
	as(t, somebody, somebody, func() {
		err := At(t.Context(), filepath.Join(folder, "app.parc"), func(*File) error { t.Error("written"); return nil })
		if !errors.Is(err, fs.ErrPermission) {
			t.Error(err)
		}
	})
}
