//go:build unix && !aix

package publish

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPublishKeepsPermissions(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	path := filepath.Join(t.TempDir(), "app.parc")
	for _, want := range []os.FileMode{0o640, 0o604} {
		if err := At(t.Context(), path, writeAll("x")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("permissions %v, want %v, %v", info.Mode(), want, err)
		}
		if err := os.Chmod(path, 0o604); err != nil {
			t.Fatal(err)
		}
	}
}

// While a file is written nobody may read more of it than of the one it replaces.
func TestTemporaryHasNoMorePermissions(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	folder := t.TempDir()
	for _, test := range []struct {
		old, during, after os.FileMode
		private            bool
	}{
		{0, 0o644, 0o644, false}, {0o600, 0o600, 0o600, false}, {0o664, 0o600, 0o664, false}, {0o444, 0o600, 0o444, false},
		{0, 0o600, 0o600, true}, {0o664, 0o600, 0o600, true}, {0o400, 0o600, 0o400, true},
	} {
		path := filepath.Join(folder, "app.parc")
		if os.Remove(path); test.old != 0 {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, test.old); err != nil {
				t.Fatal(err)
			}
		}
		err := At(t.Context(), path, func(f *File) error {
			if test.private {
				if err := f.Private(); err != nil {
					return err
				}
			}
			if info, err := f.file.Stat(); err != nil || info.Mode() != test.during {
				t.Errorf("%+v: %v while it is written, %v", test, info.Mode(), err)
			}
			return nil
		})
		if info, _ := os.Stat(path); err != nil || info.Mode() != test.after {
			t.Errorf("%+v: %v in the end, %v", test, info.Mode(), err)
		}
	}
}

// The permissions are those that the file has when it is replaced.
func TestPermissionsMayChangeMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.parc")
	err := At(t.Context(), path, func(*File) error { return os.WriteFile(path, nil, 0o600) })
	if info, _ := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// A hard link keeps the content that it had.
func TestHardLinkKeepsTheOldContent(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "app.parc")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Link(path, path+".link")); err != nil {
		t.Fatal(err)
	}
	if err := At(t.Context(), path, writeAll("new")); err != nil {
		t.Fatal(err)
	}
	wantFolder(t, folder, map[string]string{"app.parc": "new", "app.parc.link": "old"})
}

// Links stay, and what they lead to is replaced, or created, where it is.
func TestPublishThroughLinks(t *testing.T) {
	folder := t.TempDir()
	far := filepath.Join(folder, "far")
	if err := os.Mkdir(far, 0o755); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"one.parc": "two.parc", "two.parc": filepath.Join("far", "app.parc"),
		"loop.parc": "loop.parc"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"created", "replaced"} {
		t.Run(text, func(t *testing.T) {
			if err := At(t.Context(), filepath.Join(folder, "one.parc"), writeAll(text)); err != nil {
				t.Fatal(err)
			}
			wantFolder(t, far, map[string]string{"app.parc": text})
		})
	}
	if to, err := os.Readlink(filepath.Join(folder, "one.parc")); to != "two.parc" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if err := At(t.Context(), filepath.Join(folder, "loop.parc"), writeAll("x")); err == nil {
		t.Error("published through a loop")
	}
	for _, text := range []string{"through a folder's link", "and out of it again"} {
		t.Run(text, func(t *testing.T) {
			path := filepath.Join(folder, "there", "..", "far", "app.parc")
			os.Symlink("far", filepath.Join(folder, "there"))
			if err := At(t.Context(), path, writeAll(text)); err != nil {
				t.Fatal(err)
			}
			wantFolder(t, far, map[string]string{"app.parc": text})
		})
	}
}

func TestPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipe: ", err)
	}
	if err := At(t.Context(), path, writeAll("x")); err == nil {
		t.Error("a pipe was replaced")
	}
}
