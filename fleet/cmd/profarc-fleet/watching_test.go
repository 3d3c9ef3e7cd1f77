package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/profarc/profarc/fleet/internal/tests3"
)

// endsWithin is how long a watcher may take for a step that needs milliseconds, on a machine with other work.
const endsWithin = 30 * time.Second

// A watching process looks at the store until it is told to end.
type watching struct {
	*exec.Cmd
	lines chan string // of stdout and stderr, closed at its end
	text  strings.Builder
}

// startWatching starts profarc-fleet watch on a store, which looks every 50 ms and serves metrics.
func (f *fleet) startWatching(t *testing.T, args ...string) *watching {
	t.Helper()
	return f.startWatch(t, append([]string{f.URL("runs/"), "-o", f.URL("app.parc")}, args...)...)
}

func (f *fleet) startWatch(t *testing.T, args ...string) *watching {
	t.Helper()
	cmd, _ := f.process(t, append([]string{"watch", "--delay", "50ms", "--metrics", "127.0.0.1:0"}, args...)...)
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = to, to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	w := &watching{Cmd: cmd, lines: make(chan string, 1000)}
	go func() {
		defer from.Close()
		defer close(w.lines)
		for scan := bufio.NewScanner(from); scan.Scan(); {
			w.lines <- scan.Text()
		}
	}()
	return w
}

// awaitLine returns the submatches of the first line that matches.
func (w *watching) awaitLine(t *testing.T, pattern string) []string {
	t.Helper()
	want := regexp.MustCompile(pattern)
	late := time.After(endsWithin)
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				t.Fatalf("it ended before a line %s: %s", pattern, w.text.String())
			}
			w.text.WriteString(line + "\n")
			if found := want.FindStringSubmatch(line); found != nil {
				return found
			}
		case <-late:
			t.Fatalf("no line %s: %s", pattern, w.text.String())
		}
	}
}

// awaitEnd tells the process to end, and fails the test unless it ends with exit code 0 in time.
func (w *watching) awaitEnd(t *testing.T) {
	t.Helper()
	if err := w.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() { end <- w.Wait() }()
	select {
	case err := <-end:
		for line := range w.lines {
			w.text.WriteString(line + "\n")
		}
		if err != nil {
			t.Errorf("it ended with %v: %s", err, w.text.String())
		}
	case <-time.After(endsWithin):
		_ = w.Process.Kill() // it may have ended
		t.Fatalf("it did not end: %s", w.text.String())
	}
}

// metric returns a metric that the process serves.
func metric(t *testing.T, address, name string) float64 {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil || all[name] == nil {
		t.Fatalf("%s: %v, %v", name, answer.Status, err)
	}
	m := all[name].GetMetric()[0]
	return m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

// awaitMetric waits until a metric is at least so large.
func awaitMetric(t *testing.T, address, name string, least float64) {
	t.Helper()
	for begin := time.Now(); metric(t, address, name) < least; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > endsWithin {
			t.Fatalf("%s is %v", name, metric(t, address, name))
		}
	}
}

// newWatched starts a store with one profile.
func newWatched(t *testing.T) *fleet {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent SIGTERM")
	}
	f := &fleet{objectStore: tests3.Start(t), dir: t.TempDir()}
	f.put(t, "runs/pod-0.proftext", []byte(proftext("f", 10)))
	return f
}

// TestWatchGoesOn lets a watcher see an object that arrives later, and a store that fails for some time.
func TestWatchGoesOn(t *testing.T) {
	f := newWatched(t)
	w := f.startWatching(t)
	address := w.awaitLine(t, `metrics are on (http://\S+)$`)[1]
	w.awaitLine(t, "merged 1 object with .*, 1 dump, ")
	f.Set(func(answer http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
		answer.WriteHeader(http.StatusInternalServerError)
		return true
	})
	w.awaitLine(t, "the store failed: .*: it is tried again in ")
	awaitMetric(t, address, "profarc_watch_failures_total", 2)
	f.Set(nil)
	f.put(t, "runs/pod-1.proftext", []byte(proftext("g", 11)))
	w.awaitLine(t, "merged 1 object with .*, 2 dumps, ")
	awaitMetric(t, address, "profarc_watch_looks_total", metric(t, address, "profarc_watch_looks_total")+3)
	for name, want := range map[string]float64{"merged_total": 2, "merged_bytes_total": 26, "published_total": 2,
		"archive_dumps": 2, "arrived": 2} {
		if got := metric(t, address, "profarc_watch_"+name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	w.awaitEnd(t)
	f.must(t, "nothing new to merge; 2 objects had been merged before", "watch", f.URL("runs/"), "-o", f.URL("app.parc"),
		"--once")
}

// TestFolderWatchGoesOn lets the watch of a folder see a file that arrives later, and one that is damaged.
func TestFolderWatchGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are watched on Unix only")
	}
	t.Parallel()
	f := &fleet{dir: t.TempDir()}
	write := func(name, text string) {
		t.Helper()
		hidden := f.in("runs/." + name)
		err := os.WriteFile(hidden, []byte(text), 0o666)
		if err = cmp.Or(err, os.Rename(hidden, f.in("runs/"+name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(f.in("runs"), 0o777); err != nil {
		t.Fatal(err)
	}
	write("1.proftext", proftext("f", 10))
	w := f.startWatch(t, "runs", "-o", "app.parc", "--remove")
	address := w.awaitLine(t, `metrics are on (http://\S+)$`)[1]
	w.awaitLine(t, "^merged 1 file with .*, 1 dump, .*; removed 1 file$")
	write("2.proftext", proftext("g", 11))
	w.awaitLine(t, "^merged 1 file with .*, 2 dumps, ")
	write("bad.proftext", ":ir\nf\n1\nx\n")
	w.awaitLine(t, "^profarc-fleet: set aside: runs/bad.proftext: ")
	awaitMetric(t, address, "profarc_watch_looks_total", metric(t, address, "profarc_watch_looks_total")+3)
	for name, want := range map[string]float64{"merged_total": 2, "merged_bytes_total": 26, "published_total": 2,
		"archive_dumps": 2, "arrived": 1, "failures_total": 0, "aside": 1} {
		if got := metric(t, address, "profarc_watch_"+name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	w.awaitEnd(t)
}

// TestWatchReportsEachLook checks that the numbers of a look are of this look alone, also after a failed one.
func TestWatchReportsEachLook(t *testing.T) {
	f := newWatched(t)
	w := f.startWatching(t, "--json")
	w.awaitLine(t, `"merged":1,"bytes":13,"known":0,`)
	w.awaitLine(t, `"merged":0,"bytes":0,"known":1,`)
	f.put(t, "runs/pod-1.proftext", []byte(proftext("g", 11)))
	w.awaitLine(t, `"merged":1,"bytes":13,"known":1,`)
	f.remove(t, "runs/pod-0.proftext")
	w.awaitLine(t, `"arrived":1,.*"merged":0,"bytes":0,"known":1,`)
	w.awaitEnd(t)
}

// TestWatchFetchesWhatChanged checks that looks which find nothing new do not fetch the archive, that they report it,
// and that an archive which somebody removed is made again.
func TestWatchFetchesWhatChanged(t *testing.T) {
	f := newWatched(t)
	fetched := atomic.Int32{}
	f.Set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if (moment{http.MethodGet, "app.parc"}).is(r) {
			fetched.Add(1)
		}
		return false
	})
	w := f.startWatching(t, "--json", "--expect", "2")
	for range 4 {
		w.awaitLine(t, `"merged":0,"bytes":0,"known":1,.*"archive_bytes":[1-9].*"dumps":1,"published":0`)
	}
	if n := fetched.Load(); n != 1 {
		t.Errorf("the archive was fetched %d times", n)
	}
	f.remove(t, "app.parc")
	w.awaitLine(t, `"merged":1,"bytes":13,.*"dumps":1,"published":1`)
	f.put(t, "runs/pod-1.proftext", []byte(proftext("g", 11)))
	w.awaitLine(t, `"merged":1,"bytes":13,"known":1,.*"dumps":2,"published":1`)
	w.awaitEnd(t)
	f.must(t, "nothing new", "watch", f.URL("runs/"), "-o", f.URL("app.parc"), "--once", "--expect", "2")
}

// TestWatchSetsDeniedObjectsAside lets the store refuse one of two objects for some time.
func TestWatchSetsDeniedObjectsAside(t *testing.T) {
	f := newWatched(t)
	f.put(t, "runs/pod-1.proftext", []byte(proftext("g", 10)))
	f.Set(func(answer http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if denied := strings.HasSuffix(r.URL.Path, "/pod-1.proftext"); !denied {
			return false
		}
		answer.WriteHeader(http.StatusForbidden)
		return true
	})
	args := []string{"watch", f.URL("runs/"), "-o", f.URL("app.parc"), "--once", "--failure-mode", "all"}
	f.must(t, "pod-1.proftext: access is denied: check the credentials", args...)
	f.must(t, "nothing new to merge; 1 object had been merged before; 1 set aside", args...)
	f.Set(nil)
	f.must(t, "merged 1 object", args...)
}

// TestWatchRemembersLimits checks that a job does not fetch again what a job before it left out because of a limit, but
// that it does if the object or the limit changed.
func TestWatchRemembersLimits(t *testing.T) {
	f := newWatched(t)
	store := f.objectStore.(*tests3.Store)
	for i := range 3 {
		f.put(t, fmt.Sprintf("runs/archive-%d.parc", i), archived(t, proftext("g", 5+i), byte(1+i)))
	}
	watch := func(want, limit string) (requests int64) {
		t.Helper()
		before := store.Gets.Load()
		f.must(t, want, "watch", f.URL("runs/"), "-o", f.URL("app.parc"), "--once", limit)
		return store.Gets.Load() - before
	}
	first := watch("merged 2 objects", "--max-recorders=2")
	again := watch("2 set aside", "--max-recorders=2")
	if again >= first-1 {
		t.Errorf("%d GET requests, and %d by the job before it", again, first)
	}
	f.put(t, "runs/pod-0.proftext", []byte(proftext("h", 7)))
	if changed := watch("2 set aside", "--max-recorders=2"); changed <= again {
		t.Errorf("%d GET requests after one object changed, and %d before", changed, again)
	}
	watch("merged 1 object", "--max-recorders=3")
}

// TestWatchTakesFilesOfTheFuture merges a file of a machine with a clock that is ahead, once it no longer changes.
func TestWatchTakesFilesOfTheFuture(t *testing.T) {
	t.Parallel()
	f := &fleet{dir: t.TempDir()}
	if err := os.Mkdir(f.in("runs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.in("runs/pod.proftext"), []byte(proftext("f", 10)), 0o666); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(f.in("runs/pod.proftext"), later, later); err != nil {
		t.Fatal(err)
	}
	f.must(t, "merged 1 object with ", "watch", "file://"+f.in("runs"), "-o", "app.parc", "--once")
}

// TestWatchEndsWhileTheStoreIsSilent ends a watcher while it waits for an answer of the store, at each kind of request.
func TestWatchEndsWhileTheStoreIsSilent(t *testing.T) {
	for _, at := range []moment{{http.MethodGet, "/ci"}, {http.MethodHead, "app.parc"}, {http.MethodGet, "pod-0"},
		{http.MethodPut, "app.parc"}} {
		f := newWatched(t)
		reached := make(chan struct{}, 1000)
		f.Set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			if !at.is(r) {
				return false
			}
			_, err := io.Copy(io.Discard, r.Body) // the server sees the end of the connection only then
			reached <- struct{}{}
			<-r.Context().Done()
			return err == nil || errors.Is(err, io.ErrUnexpectedEOF)
		})
		w := f.startWatching(t)
		select {
		case <-reached:
		case <-time.After(endsWithin):
			t.Fatalf("%v is not reached", at)
		}
		w.awaitEnd(t)
		f.Set(nil)
	}
}
