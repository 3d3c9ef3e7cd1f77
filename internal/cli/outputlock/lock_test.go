package outputlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestLockOutlivesOtherOpenings(t *testing.T) {
	out := filepath.Join(t.TempDir(), "app.parc")
	release, err := Lock(out)
	if err != nil {
		t.Fatal(err)
	}
	path, err := Path(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err != nil && runtime.GOOS != "windows" { // it opens and closes it
		t.Fatal(err)
	}
	if _, err := Lock(out); !errors.Is(err, ErrLocked) ||
		!strings.Contains(err.Error(), fmt.Sprintf(", process %d: ", os.Getpid())) {
		t.Errorf("locked again: %v", err)
	}
	release()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// TestLockOfAKilledRun: its file is used again, and removed.
func TestLockOfAKilledRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "app.parc")
	if err := os.WriteFile(out+".lock", []byte("4711\nmore"), 0o600); err != nil {
		t.Fatal(err)
	}
	release, err := Lock(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(out); err == nil || strings.Contains(err.Error(), "4711") {
		t.Errorf("the old process is named: %v", err)
	}
	release()
	if _, err := os.Lstat(out + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// TestOneHolder: of many at once one has the lock, although each removes the file.
func TestOneHolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "app.parc")
	var all sync.WaitGroup
	var held sync.Mutex
	for range 8 {
		all.Go(func() {
			for n := 0; n < 100; {
				release, err := Lock(out)
				if errors.Is(err, ErrLocked) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !held.TryLock() {
					t.Error("two have the lock")
					return
				}
				runtime.Gosched()
				held.Unlock()
				release()
				n++
			}
		})
	}
	all.Wait()
}
