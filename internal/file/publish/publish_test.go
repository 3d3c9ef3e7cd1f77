package publish

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func writeAll(text string) func(*File) error {
	return func(f *File) error {
		_, err := f.WriteAt([]byte(text), 0)
		return err
	}
}

// wantFolder expects exactly these files, by name and content.
func wantFolder(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, _ := os.ReadFile(filepath.Join(folder, e.Name()))
		if text, ok := want[e.Name()]; !ok || text != string(got) {
			t.Errorf("%s holds %q", e.Name(), got)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d files, want %d", len(entries), len(want))
	}
}

func TestPublishCreatesAndReplaces(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "app.parc")
	for _, text := range []string{"the first, a longer one", "the second"} {
		t.Run(text, func(t *testing.T) {
			if err := At(t.Context(), path, writeAll(text)); err != nil {
				t.Fatal(err)
			}
			wantFolder(t, folder, map[string]string{"app.parc": text})
		})
	}
}

func TestFailedPublishLeavesTheOldFile(t *testing.T) {
	own := errors.New("own")
	ctx, cancel := context.WithCancel(t.Context())
	failures := map[string]struct {
		ctx   context.Context
		write func(*File) error
		want  error
	}{
		"error":           {t.Context(), func(f *File) error { f.WriteAt([]byte("new"), 0); return own }, own},
		"context in time": {ctx, func(f *File) error { cancel(); return nil }, context.Canceled},
		"context before":  {ctx, writeAll("new"), context.Canceled},
		"too large": {t.Context(), func(f *File) error {
			_, err := f.WriteAt([]byte("x"), disk.MaxFileSize)
			return err
		}, layout.ErrTooLarge},
		"negative offset": {t.Context(), func(f *File) error {
			_, err := f.WriteAt([]byte("x"), -1)
			return err
		}, layout.ErrTooLarge},
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "app.parc")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	// In this order: the context of the second ends in the first.
	for _, name := range []string{"context in time", "context before", "error", "too large", "negative offset"} {
		t.Run(name, func(t *testing.T) {
			test := failures[name]
			if err := At(test.ctx, path, test.write); !errors.Is(err, test.want) {
				t.Errorf("%s: %v", name, err)
			}
			wantFolder(t, folder, map[string]string{"app.parc": "old"})
		})
	}
	if v := panicOf(func() { At(t.Context(), path, func(*File) error { panic(own) }) }); v != own {
		t.Errorf("panic of %v", v)
	}
	wantFolder(t, folder, map[string]string{"app.parc": "old"})
}

func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// A context that ends in the middle of a long write ends it.
func TestLongWriteEndsWithTheContext(t *testing.T) {
	ctx := &expiring{Context: t.Context(), left: 3}
	err := At(ctx, filepath.Join(t.TempDir(), "app.parc"), func(f *File) error {
		n, err := f.WriteAt(make([]byte, 5*writeBlock), 100)
		if n != 2*writeBlock-100 || f.written.Load() != int64(n) {
			t.Errorf("%d bytes written, %d counted", n, f.written.Load())
		}
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// expiring ends when it has been asked a number of times.
type expiring struct {
	context.Context
	left int
}

func (e *expiring) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestWriteAtAnyOffset(t *testing.T) {
	text := bytes.Repeat([]byte("profile"), writeBlock/3)
	path := filepath.Join(t.TempDir(), "app.parc")
	err := At(t.Context(), path, func(f *File) error {
		half := len(text) / 2
		_, err1 := f.WriteAt(text[half:], int64(half))
		_, err2 := f.WriteAt(text[:half], 0)
		if f.written.Load() != int64(len(text)) {
			t.Errorf("%d bytes counted, %d written", f.written.Load(), len(text))
		}
		return errors.Join(err1, err2)
	})
	if got, _ := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestPublishWhereItCannot(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(t.TempDir(), "app.parc")
	if err := os.WriteFile(file, []byte("a file"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		path, text string
		want       error
	}{
		"missing folder": {filepath.Join(folder, "none", "app.parc"), "create the folder first", fs.ErrNotExist},
		"a folder":       {folder, "it is a folder", nil},
		"folder and /":   {folder + "/", "it is a folder", nil},
		"missing and /":  {filepath.Join(folder, "none.parc") + "/", "create the folder first", fs.ErrNotExist},
		"missing and ..": {filepath.Join(folder, "none") + "/..", "create the folder first", fs.ErrNotExist},
		"a folder by ..": {filepath.Join(folder, "x") + "/../..", "create the folder first", fs.ErrNotExist},
		"nothing":        {"", "it is a folder", nil},
		"under a file":   {filepath.Join(file, "app.parc"), "not a", nil},
		"a device":       {os.DevNull, "it is a device", nil},
	}
	for name, test := range tests {
		err := At(t.Context(), test.path, func(*File) error { t.Errorf("%s: written", name); return nil })
		if err == nil || !strings.Contains(err.Error(), test.text) || !strings.Contains(err.Error(), test.path) ||
			test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantFolder(t, folder, nil)
}

// A program that is killed between writing and renaming leaves the old file.
func TestKilledPublishLeavesTheOldFile(t *testing.T) {
	const child = "PROFARC_TEST_PUBLISH"
	if path := os.Getenv(child); path != "" {
		At(context.Background(), path, func(f *File) error {
			if err := writeAll("new")(f); err != nil {
				return err
			}
			os.Stdout.WriteString("written\n")
			select {}
		})
		return
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "app.parc")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), child+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "written\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	// The file it left behind is in nobody's way, and the next one removes it.
	left, _ := filepath.Glob(filepath.Join(folder, temporaryPattern))
	if len(left) != 1 {
		t.Fatalf("%d temporary files", len(left))
	}
	long := time.Now().Add(-2 * minLitterAge)
	if err := os.Chtimes(left[0], long, long); err != nil {
		t.Fatal(err)
	}
	if err := At(t.Context(), filepath.Join(folder, "other.parc"), writeAll("newer")); err != nil {
		t.Fatal(err)
	}
	wantFolder(t, folder, map[string]string{"app.parc": "old", "other.parc": "newer"})
}

// What looks like litter and may be somebody's is left alone.
func TestPublishRemovesOnlyLitter(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, age time.Duration) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const other = ".profarc-ffffffff-0123456789abcde"
	want := map[string]string{}
	for _, name := range []string{file(other+"0.tmp", abandonedAfter/2), file(other+".tmp", 2*abandonedAfter),
		file(".profarc.tmp", 2*abandonedAfter)} {
		want[name] = "x"
	}
	file(other+"1.tmp", 2*abandonedAfter)
	file(temporaryPrefix+hostTag+"-0123456789abcdef.tmp", 2*minLitterAge)
	outer := filepath.Join(folder, "outer.parc")
	err := At(t.Context(), outer, func(f *File) error {
		// While it is being written another is published, and another tried.
		for _, name := range []string{"inner.parc", "outer.parc"} {
			if err := At(t.Context(), filepath.Join(folder, name), writeAll(name)); err != nil {
				return err
			}
		}
		return writeAll("outer")(f)
	})
	if err != nil {
		t.Fatal(err)
	}
	want["inner.parc"], want["outer.parc"] = "inner.parc", "outer"
	wantFolder(t, folder, want)
}
