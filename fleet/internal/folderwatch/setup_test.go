package folderwatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// childEnv makes the test binary a watcher that removes files: FOLDER, ARCHIVE, and the
// number of the step at which it is killed, 0 for none, each on a line.
const childEnv = "PROFARC_TEST_WATCHER"

func TestMain(m *testing.M) {
	if of := os.Getenv(childEnv); of != "" {
		os.Exit(watchAsChild(strings.Split(of, "\n")))
	}
	if !slices.Contains(supported, runtime.GOOS) {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// watchAsChild merges the files of a folder. It ends by SIGKILL at one of its steps, or with exit code 0.
func watchAsChild(of []string) int {
	last, err := strconv.Atoi(of[2])
	steps := 0
	o := Options{Remove: true, step: func(string) {
		if steps++; steps == last {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
	}}
	if err == nil {
		var w *Watcher
		if w, err = Open(of[0], of[1], o); err == nil {
			defer w.Close()
			err = w.RunOnce(context.Background(), func(*Batch) error { return nil })
		}
	}
	if err != nil {
		println(err.Error())
		return 1
	}
	return 0
}

// proftext returns a profile of LLVM's with so many calls of a function.
func proftext(function string, calls int) string {
	return fmt.Sprintf(":ir\n%s\n7\n2\n%d\n%d\n\n", function, calls, 3*calls)
}

// write writes a file into a folder in one step, with a time of its own.
func write(t *testing.T, folder, name, content string, second int64) {
	t.Helper()
	hidden := filepath.Join(folder, "."+name)
	at := time.Unix(1_700_000_000+second, 12345)
	if err := os.WriteFile(hidden, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(hidden, at, at); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(hidden, filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
}

// archived returns the bytes of an archive of a text.
func archived(t *testing.T, text string, c builder.Config) string {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "text", Reader: strings.NewReader(text)}},
		formats.ImportOptions{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := in.Builder.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// once merges the files of a folder, and returns the sum of the batches' reports.
func once(t *testing.T, folder, out string, o Options) *Batch {
	t.Helper()
	w := open(t, folder, out, o)
	defer w.Close()
	return again(t, w)
}

func open(t *testing.T, folder, out string, o Options) *Watcher {
	t.Helper()
	w, err := Open(folder, out, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// again is like once, with a watcher that is open.
func again(t *testing.T, w *Watcher) *Batch {
	t.Helper()
	sum := &Batch{}
	err := w.RunOnce(t.Context(), func(b *Batch) error {
		sum.Merged, sum.Known, sum.Removed, sum.InUse = sum.Merged+b.Merged, sum.Known+b.Known, sum.Removed+b.Removed, b.InUse
		sum.Aside, sum.Dumps = append(sum.Aside, b.Aside...), max(sum.Dumps, b.Dumps)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// calls returns how often a function was called, by an archive that must be sound; 0 if it is not there.
func calls(t *testing.T, path, function string) uint64 {
	t.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := verify.Store(t.Context(), s, nil); err != nil || !r.Sound() {
		t.Fatal(err, r.Problems)
	}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		if k.Name != function {
			continue
		}
		for p := range m.Profiles() {
			for e := range p.Entries() {
				return e.Cell(0).Trained()
			}
		}
	}
	return 0
}

// files lists what a folder has, without what the watcher keeps there.
func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == claimsFolder+".lock" {
			continue
		}
		if e.Name() != claimsFolder {
			names = append(names, e.Name())
			continue
		}
		if left, _ := filepath.Glob(filepath.Join(folder, claimsFolder, "*")); len(left) > 0 {
			names = append(names, left...)
		}
	}
	return names
}

// want compares figures of a batch.
func want(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}
