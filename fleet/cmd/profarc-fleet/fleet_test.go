package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/interception"
	"github.com/profarc/profarc/fleet/internal/manyarchives"
	"github.com/profarc/profarc/fleet/internal/tests3"
)

// An objectStore is a fake of a cloud's store.
type objectStore interface {
	Set(interception.Around)
	URL(name string) string
}

// A fleet is a store with archives, and processes that merge them.
type fleet struct {
	objectStore
	dir   string
	whole []byte // one merge of all
}

// newFleet makes archives, and plans a merge of them as plan.json.
func newFleet(t *testing.T, o manyarchives.Options, parts int) *fleet {
	t.Helper()
	f := &fleet{objectStore: tests3.Start(t), dir: t.TempDir()}
	o.Out = f.in("runs")
	if err := errors.Join(manyarchives.Make(o), mergeWhole([]string{f.in("whole.parc"), o.Out})); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.whole, err = os.ReadFile(f.in("whole.parc")); err != nil {
		t.Fatal(err)
	}
	for i := range o.N {
		name := fmt.Sprintf("run-%06d.parc", i)
		data, err := os.ReadFile(filepath.Join(o.Out, name))
		if err != nil {
			t.Fatal(err)
		}
		f.put(t, "runs/"+name, data)
	}
	f.must(t, "planned ", "plan", f.URL("runs/"), "--to", f.URL("out.parc"), "--work", f.URL("parts/"), "--parts",
		fmt.Sprint(parts), "-o", "plan.json")
	return f
}

func (f *fleet) in(name string) string { return filepath.Join(f.dir, name) }

func (f *fleet) at(t *testing.T, name string) blobs.Location {
	t.Helper()
	l, err := blobs.Parse(f.URL(name))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (f *fleet) put(t *testing.T, name string, data []byte) {
	t.Helper()
	var s blobs.Stores
	defer s.Close()
	if err := s.Write(t.Context(), f.at(t, name), bytes.NewReader(data), int64(len(data)), false); err != nil {
		t.Fatal(err)
	}
}

// remove removes an object if it is there.
func (f *fleet) remove(t *testing.T, name string) {
	t.Helper()
	l := f.at(t, name)
	bucket, err := blob.OpenBucket(t.Context(), l.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	defer bucket.Close()
	if err := bucket.Delete(t.Context(), l.Key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		t.Fatal(err)
	}
}

// objects returns the names of all objects but the inputs.
func (f *fleet) objects(t *testing.T) (names []string) {
	t.Helper()
	var s blobs.Stores
	defer s.Close()
	all, err := s.List(t.Context(), f.at(t, ""), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if !strings.HasPrefix(o.Key, "runs/") {
			names = append(names, o.Key)
		}
	}
	return names
}

// process returns profarc-fleet, to be started, and the buffer of its output.
func (f *fleet) process(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, out := exec.CommandContext(t.Context(), self), new(bytes.Buffer)
	cmd.Args = append([]string{"profarc-fleet"}, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = f.dir, out, out
	return cmd, out
}

// must runs profarc-fleet, which must succeed and print a text.
func (f *fleet) must(t *testing.T, want string, args ...string) {
	t.Helper()
	cmd, out := f.process(t, args...)
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), want) {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
}

// holdsWhole fails the test unless the store has the result, so many parts and nothing else.
func (f *fleet) holdsWhole(t *testing.T, parts int) {
	t.Helper()
	var s blobs.Stores
	defer s.Close()
	got, err := s.Read(t.Context(), f.at(t, "out.parc"), 1<<30)
	if err != nil || !bytes.Equal(got, f.whole) {
		t.Errorf("the result is not one merge of everything: %v", err)
	}
	if names := f.objects(t); len(names) != parts+1 {
		t.Errorf("the store has %v, want the result and %d parts", names, parts)
	}
}

// A moment is when a process asks the store for something.
type moment struct{ method, path string } // the path contains it

func (m moment) is(r *http.Request) bool {
	return r.Method == m.method && strings.Contains(r.URL.Path, m.path)
}
