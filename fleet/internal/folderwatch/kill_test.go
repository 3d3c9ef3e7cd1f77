//go:build unix

package folderwatch

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
)

// inputs returns texts, of which some are equal, and archives, of which each comes twice.
func inputs(t *testing.T, from, n int) map[string]string {
	all := map[string]string{}
	for i := from; i < from+n; i++ {
		name := fmt.Sprintf("run-%04d", i)
		of := i - i%5/4 // the fifth is the fourth again
		text := proftext(fmt.Sprintf("f%d", of%7), 1+of%3)
		if i%5 >= 3 {
			all[name+".parc"] = archived(t, text, builder.Config{DumpID: [16]byte{1, byte(of), byte(of >> 8)}})
		} else {
			all[name+".proftext"] = text
		}
	}
	return all
}

func put(t *testing.T, folder string, all map[string]string) {
	t.Helper()
	for name, content := range all {
		var n int64
		_, _ = fmt.Sscanf(name, "run-%d", &n)
		write(t, folder, name, content, n)
	}
}

// mergedAtOnce returns the bytes of the archive that one merge of all inputs makes.
func mergedAtOnce(t *testing.T, all map[string]string) []byte {
	t.Helper()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	put(t, folder, all)
	if b := once(t, folder, out, Options{}); b.Merged+b.Known != len(all) {
		t.Fatalf("%d of %d files are merged: %v", b.Merged+b.Known, len(all), b.Aside)
	}
	return content(t, out)
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// child starts a watcher in a process of its own.
func child(t *testing.T, folder, out string, killedAt int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%d", childEnv, folder, out, killedAt))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// endedWell reports whether a watcher ended by itself, and fails the test if that was with an error.
func endedWell(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// TestKilledAtEachStep kills a watcher at each of its steps, and lets another one go on.
func TestKilledAtEachStep(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	all := inputs(t, 0, 5)
	expected := mergedAtOnce(t, all)
	for step := 1; ; step++ {
		folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
		put(t, folder, all)
		done := endedWell(t, child(t, folder, out, step))
		if !endedWell(t, child(t, folder, out, 0)) {
			t.Fatal("a watcher was killed that should not be")
		}
		if !bytes.Equal(content(t, out), expected) {
			t.Errorf("killed at step %d: the archive is another than that of one merge", step)
		}
		if left := files(t, folder); len(left) > 0 {
			t.Errorf("killed at step %d: left %v", step, left)
		}
		if done {
			if step < 3*len(all) {
				t.Errorf("only %d steps", step)
			}
			return
		}
	}
}

// TestKilledAgainAndAgain kills watchers at random moments while files arrive.
func TestKilledAgainAndAgain(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	kills, each := 400, 2
	if testing.Short() {
		kills = 40
	}
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	all := map[string]string{}
	killed := 0
	for i := range kills {
		more := inputs(t, i*each, each)
		put(t, folder, more)
		for name, content := range more {
			all[name] = content
		}
		cmd := child(t, folder, out, 0)
		time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		if !endedWell(t, cmd) {
			killed++
		}
	}
	if !endedWell(t, child(t, folder, out, 0)) {
		t.Fatal("a watcher was killed that should not be")
	}
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if !bytes.Equal(content(t, out), mergedAtOnce(t, all)) {
		t.Error("the archive is another than that of one merge")
	}
	litter, err := filepath.Glob(filepath.Join(filepath.Dir(out), ".profarc-*"))
	if err != nil || len(litter) > 0 {
		t.Errorf("litter: %v %v", litter, err)
	}
	t.Logf("killed %d of %d", killed, kills)
}

// TestSecondWatcher: of two watchers of one folder the second is refused.
func TestSecondWatcher(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	open(t, folder, out, Options{Remove: true})
	for what, other := range map[string]string{"archive": out, "folder": filepath.Join(t.TempDir(), "other.parc")} {
		t.Run(what, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n0", childEnv, folder, other))
			text, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(text), "another watcher") {
				t.Errorf("the %s is watched twice: %s", what, text)
			}
		})
	}
}

// TestLinkedArchiveInTheFolder: the lock of an archive that a link leads to is in the watched
// folder. It is no input, and stays locked: a second watcher may not write the archive.
func TestLinkedArchiveInTheFolder(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	sum := filepath.Join(folder, "sum")
	write(t, folder, "run-0001.proftext", proftext("f", 1), 1)
	if err := os.Rename(mergedTo(t, folder), sum); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sum, out); err != nil {
		t.Fatal(err)
	}
	w := open(t, folder, out, Options{})
	for i := range 3 {
		write(t, folder, fmt.Sprintf("run-001%d.proftext", i), proftext("f", 10), int64(10+i))
		if b := again(t, w); b.Merged != 1 || b.InUse+len(b.Aside) > 0 {
			t.Errorf("round %d: %d merged, %d in use, %v set aside", i, b.Merged, b.InUse, b.Aside)
		}
		for _, name := range []string{out, sum} {
			second := child(t, t.TempDir(), name, 0)
			if err := second.Wait(); err == nil {
				t.Error("a second watcher has the archive")
			}
		}
	}
	w.Close()
	want(t, "calls", int(calls(t, out, "f")), 31)
	if _, err := os.Lstat(sum + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock is left behind: %v", err)
	}
	write(t, folder, "run-0020.proftext", proftext("f", 100), 20)
	if !endedWell(t, child(t, folder, out, 0)) {
		t.Error("the next watcher was killed")
	}
	want(t, "calls", int(calls(t, out, "f")), 131)
}

// mergedTo merges the files of a folder, and returns the archive.
func mergedTo(t *testing.T, folder string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "first.parc")
	once(t, folder, out, Options{Remove: true})
	return out
}
