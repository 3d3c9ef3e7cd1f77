package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/testazure"
	"github.com/profarc/profarc/fleet/internal/testgs"
	"github.com/profarc/profarc/fleet/internal/tests3"
	"github.com/profarc/profarc/formats"
)

// proftext returns a profile of LLVM in which a function has a count.
func proftext(function string, count int) string {
	return fmt.Sprintf(":ir\n%s\n1\n1\n%d\n", function, count)
}

// archived imports a profile into an archive with a dump id.
func archived(t *testing.T, text string, id byte) []byte {
	t.Helper()
	done, err := formats.Import(t.Context(), []formats.Input{{Name: "run.proftext", Reader: strings.NewReader(text)}},
		formats.ImportOptions{Config: builder.Config{DumpID: [16]byte{id}}})
	if err != nil {
		t.Fatal(err)
	}
	name := t.TempDir() + "/run.parc"
	if _, err := done.Builder.Commit(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// newRuns puts five profiles, two archives and a damaged profile into a store.
func newRuns(t *testing.T, store objectStore) *fleet {
	t.Helper()
	f := &fleet{objectStore: store, dir: t.TempDir()}
	for i := range 5 {
		f.put(t, fmt.Sprintf("runs/pod-%d/default.proftext", i), []byte(proftext(fmt.Sprintf("f%d", i%3), 10+i)))
	}
	for i := range 2 {
		f.put(t, fmt.Sprintf("runs/archive-%d.parc", i), archived(t, proftext("g", 5+i), byte(1+i)))
	}
	f.put(t, "runs/bad/default.proftext", []byte(":ir\nf\n1\nx\n"))
	return f
}

func (f *fleet) watchArgs() []string {
	return []string{"watch", f.URL("runs/"), "-o", f.URL("app.parc"), "--once", "--failure-mode", "all"}
}

// merged returns the archive in the store.
func (f *fleet) merged(t *testing.T) []byte {
	t.Helper()
	var s blobs.Stores
	defer s.Close()
	data, err := s.Read(t.Context(), f.at(t, "app.parc"), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// killAtRequest runs profarc-fleet and kills it at its n-th request, as killWhen does.
func (f *fleet) killAtRequest(t *testing.T, n int32, stored bool, args ...string) bool {
	t.Helper()
	var requests atomic.Int32
	return f.killWhen(t, func(*http.Request) bool { return requests.Add(1) == n }, stored, args...)
}

// TestWatchKilledAtEachRequest kills a job at each request that it makes, and lets another one go on. The archive has
// the bytes of a job that is not killed.
func TestWatchKilledAtEachRequest(t *testing.T) {
	t.Run("S3", func(t *testing.T) { newRuns(t, tests3.Start(t)).killWatchAtEachRequest(t) })
	t.Run("Google", func(t *testing.T) { newRuns(t, testgs.Start(t)).killWatchAtEachRequest(t) })
	t.Run("Azure", func(t *testing.T) { newRuns(t, testazure.Start(t)).killWatchAtEachRequest(t) })
}

func (f *fleet) killWatchAtEachRequest(t *testing.T) {
	t.Helper()
	f.must(t, "merged 7 objects", f.watchArgs()...)
	want := f.merged(t)
	for _, stored := range []bool{false, true} {
		published := 0
		for n := int32(1); ; n++ {
			f.remove(t, "app.parc")
			killed := f.killAtRequest(t, n, stored, f.watchArgs()...)
			if names := f.objects(t); killed && len(names) == 1 {
				published++
			}
			f.must(t, "", f.watchArgs()...)
			if got := f.merged(t); !bytes.Equal(got, want) {
				t.Fatalf("killed at request %d, stored %v: the archive has %d other bytes", n, stored, len(got))
			}
			if names := f.objects(t); len(names) != 1 {
				t.Errorf("killed at request %d, stored %v: the store has %v", n, stored, names)
			}
			if killed {
				continue
			}
			if n < 15 || (published > 0) != stored {
				t.Errorf("%d requests, %d times the archive was there after a kill, stored %v", n, published, stored)
			}
			break
		}
	}
}

// TestWatchersAtOnce lets two jobs reach the replacement of the archive before either has done it.
func TestWatchersAtOnce(t *testing.T) {
	f := newRuns(t, tests3.Start(t))
	f.must(t, "merged 7 objects", f.watchArgs()...)
	want := f.merged(t)
	f.remove(t, "app.parc")
	// First there is no archive, then one of an earlier job.
	for _, before := range []bool{false, true} {
		if before {
			f.remove(t, "app.parc")
			f.must(t, "merged 1 object", "watch", f.URL("runs/pod-3/"), "-o", f.URL("app.parc"), "--once")
		}
		g := f.gate(moment{http.MethodPut, "app.parc"}, 2)
		var jobs []*started
		for range 2 {
			jobs = append(jobs, f.start(t, g, append(f.watchArgs(), "--json")...))
		}
		close(g.open)
		merged, conflicts := 0, 0
		for _, p := range jobs {
			code, out := p.ends()
			var r struct{ Merged, Conflicts int }
			_, text, _ := strings.Cut(out, "\n{") // after the line about the damaged object
			if err := json.Unmarshal([]byte("{"+text), &r); err != nil || code != 0 {
				t.Fatalf("exit code %d, %v: %s", code, err, out)
			}
			merged += r.Merged
			conflicts += r.Conflicts
		}
		f.Set(nil)
		if have := map[bool]int{false: 7, true: 6}[before]; merged != have || conflicts != 1 {
			t.Errorf("merged %d of %d objects, with %d conflicts", merged, have, conflicts)
		}
		if !bytes.Equal(f.merged(t), want) {
			t.Errorf("the archive is not that of one job, begun with one %v", before)
		}
	}
}

// TestWatchOnGoogle merges objects of Google Cloud Storage, first some, and then the rest.
func TestWatchOnGoogle(t *testing.T) {
	testgs.Start(t)
	f := &fleet{dir: t.TempDir()}
	var s blobs.Stores
	defer s.Close()
	for i := range 3 {
		l, err := blobs.Parse(fmt.Sprintf("gs://ci/runs/pod-%d.proftext", i))
		if err != nil {
			t.Fatal(err)
		}
		text := proftext("f", 10+i)
		if err := s.Write(t.Context(), l, strings.NewReader(text), int64(len(text)), false); err != nil {
			t.Fatal(err)
		}
		if i != 1 {
			f.must(t, "merged "+map[int]string{0: "1 object ", 2: "2 objects "}[i], "watch", "gs://ci/runs/", "-o",
				"gs://ci/app.parc", "--once")
		}
	}
	f.must(t, "nothing new to merge; 3 objects had been merged before", "watch", "gs://ci/runs/", "-o", "gs://ci/app.parc",
		"--once")
}
