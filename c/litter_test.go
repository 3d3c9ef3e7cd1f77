//go:build linux

package c_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestKilledDumpIsRemoved kills a process in the middle of a dump. The next dump must remove its temporary file, but
// not those that a process still writes.
func TestKilledDumpIsRemoved(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program, runs := runner(t)
	folder := t.TempDir()
	app := filepath.Join(folder, "app.parc")
	var exit *exec.ExitError
	err := exec.Command(program, "killed", app, app).Run()
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGXFSZ {
		t.Fatalf("the process was not killed: %v", err)
	}
	left := namesIn(t, folder)
	if len(left) != 1 || filepath.Ext(left[0]) != ".tmp" {
		t.Fatalf("the killed process left %q, want a temporary file", left)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	sum := fnv.New32a()
	sum.Write([]byte(host))
	var kept []string
	for i, c := range []struct {
		tag    uint32
		age    time.Duration
		locked bool
		kept   bool
	}{
		{tag: sum.Sum32()},
		{tag: sum.Sum32(), locked: true, kept: true},
		{tag: ^sum.Sum32(), kept: true},
		{tag: ^sum.Sum32(), age: 25 * time.Hour},
		{tag: ^sum.Sum32(), age: 25 * time.Hour, locked: true, kept: true},
	} {
		name := fmt.Sprintf(".profarc-%08x-%016x.tmp", c.tag, i)
		makeTemporary(t, filepath.Join(folder, name), c.age, c.locked)
		if c.kept {
			kept = append(kept, name)
		}
	}
	kept = append(kept, ".profarc-notes.tmp", "app.parc")
	makeTemporary(t, filepath.Join(folder, ".profarc-notes.tmp"), 25*time.Hour, false)
	runs("dump", app, app, "3")
	slices.Sort(kept)
	if got := namesIn(t, folder); !slices.Equal(got, kept) {
		t.Errorf("after the dump there are %q, want %q", got, kept)
	}
	wantCounts(t, open(t, app), counts{}.add(3))
}

// makeTemporary makes a file of some age, which is locked until the test ends if it is to be.
func makeTemporary(t *testing.T, path string, age time.Duration, locked bool) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if locked {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err := errors.Join(err, os.Chtimes(path, time.Time{}, time.Now().Add(-age))); err != nil {
		t.Fatal(err)
	}
}

func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
