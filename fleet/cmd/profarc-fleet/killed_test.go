package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/profarc/profarc/fleet/internal/manyarchives"
)

// killAt runs profarc-fleet and kills it at the first request of a moment.
func (f *fleet) killAt(t *testing.T, at moment, stored bool, args ...string) {
	t.Helper()
	var once sync.Once
	killed := f.killWhen(t, func(r *http.Request) (here bool) {
		if at.is(r) {
			once.Do(func() { here = true })
		}
		return here
	}, stored, args...)
	if !killed {
		t.Fatalf("%v was not killed", args)
	}
}

// killWhen runs profarc-fleet and kills it at the request for which now returns true: when half of its body has
// arrived, or, with stored, when the store has all of it and has not answered yet. It reports whether the process was
// killed.
func (f *fleet) killWhen(t *testing.T, now func(*http.Request) bool, stored bool, args ...string) bool {
	t.Helper()
	cmd, out := f.process(t, args...)
	victim := make(chan *os.Process, 1)
	f.Set(func(_ http.ResponseWriter, r *http.Request, store http.Handler) bool {
		if !now(r) {
			return false
		}
		if stored {
			store.ServeHTTP(discard{http.Header{}}, r)
		} else {
			_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
		}
		if err := (<-victim).Kill(); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	})
	defer f.Set(nil)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	victim <- cmd.Process
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (!exit.Exited() || runtime.GOOS == "windows") {
		return true
	}
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return false
}

// discard is an answer that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) WriteHeader(int)             {}
func (discard) Write(b []byte) (int, error) { return len(b), nil }

// small are archives that are merged quickly.
var small = manyarchives.Options{N: 4, Methods: 60, Own: 20, Shared: 100}

// TestKilledWorkers: whenever a worker is killed, nothing half-written is published, and
// another one does its work.
func TestKilledWorkers(t *testing.T) {
	for _, c := range []struct {
		when   string
		at     moment
		stored bool
		left   int // parts in the store
	}{
		{"while it reads", moment{http.MethodGet, "run-000003"}, false, 1},
		{"while it uploads a part", moment{http.MethodPut, "part-00001"}, false, 1},
		{"before it hears that a part is there", moment{http.MethodPut, "part-00001"}, true, 2},
	} {
		t.Run(c.when, func(t *testing.T) {
			f := newFleet(t, small, 3)
			f.must(t, "part 0: wrote", "merge-shard", "0/3", "--plan", "plan.json")
			f.killAt(t, c.at, c.stored, "merge-shard", "1/3", "--plan", "plan.json")
			if names := f.objects(t); len(names) != c.left {
				t.Errorf("then the store has %v, want %d parts", names, c.left)
			}
			cmd, out := f.process(t, "commit", "--plan", "plan.json")
			if err := cmd.Run(); err == nil || !strings.Contains(out.String(),
				fmt.Sprintf("parts are missing: %d of 3", 3-c.left)) {
				t.Errorf("a commit without all parts: %v: %s", err, out)
			}
			f.must(t, "part 2: wrote", "merge-shard", "2/3", "--plan", "plan.json")
			f.must(t, "part 1: ", "merge-shard", "1/3", "--plan", "plan.json")
			f.must(t, "published ", "commit", "--plan", "plan.json")
			f.holdsWhole(t, 3)
		})
	}
}

// TestKilledCommits: the same for the last step.
func TestKilledCommits(t *testing.T) {
	for _, c := range []struct {
		when   string
		at     moment
		stored bool
		then   string
	}{
		{"while it fetches a part", moment{http.MethodGet, "part-00001"}, false, "published "},
		{"while it uploads", moment{http.MethodPut, "out.parc"}, false, "published "},
		{"before it hears that the result is there", moment{http.MethodPut, "out.parc"}, true, "found the same bytes at "},
	} {
		t.Run(c.when, func(t *testing.T) {
			f := newFleet(t, small, 2)
			f.must(t, "part 1: wrote", "merge-shard", "0/1", "--plan", "plan.json")
			f.killAt(t, c.at, c.stored, "commit", "--plan", "plan.json")
			if names := f.objects(t); !c.stored && len(names) != 2 {
				t.Errorf("published: %v", names)
			}
			f.must(t, c.then, "commit", "--plan", "plan.json")
			f.holdsWhole(t, 2)
		})
	}
}

// TestWorkerDiesAsItWrites: in a directory too nothing half-written is taken for a part. The
// system kills the worker as it writes more than it may.
func TestWorkerDiesAsItWrites(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no limit of the size of files")
	}
	f := newFleet(t, manyarchives.Options{N: 3, Methods: 600, Own: 200, Shared: 1000}, 1)
	f.must(t, "planned ", "plan", "runs/", "--to", "out/app.parc", "--parts", "2", "-o", "here.json")
	worker, out := f.process(t, "merge-shard", "0/1", "--plan", "here.json")
	limited := exec.CommandContext(t.Context(), "bash",
		append([]string{"-c", `ulimit -f 32; exec -a profarc-fleet "$0" "$@"`, worker.Path}, worker.Args[1:]...)...)
	limited.Dir, limited.Stdout, limited.Stderr = f.dir, out, out
	if err := limited.Run(); err == nil || strings.Contains(out.String(), "wrote") {
		t.Fatalf("a worker that may write 32 KiB: %v: %s", err, out)
	}
	parts := func() []string {
		found, _ := filepath.Glob(f.in("out/profarc-work/*/*")) // the pattern is sound
		return found
	}
	if left := parts(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	f.must(t, "part 1: wrote", "merge-shard", "0/1", "--plan", "here.json")
	// Files that a killed process leaves behind while it copies a part into the directory.
	half := parts()[0]
	if err := os.WriteFile(half+".18c2.tmp", f.whole[:len(f.whole)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	f.must(t, "published ", "commit", "--plan", "here.json")
	if got, err := os.ReadFile(f.in("out/app.parc")); err != nil || !bytes.Equal(got, f.whole) {
		t.Errorf("the result is not one merge of everything: %v", err)
	}
}
