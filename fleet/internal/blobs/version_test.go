package blobs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/testazure"
	"github.com/profarc/profarc/fleet/internal/testgs"
	"github.com/profarc/profarc/fleet/internal/tests3"
)

// TestReplaceFileNeedsTheVersion replaces an object in each kind of store.
func TestReplaceFileNeedsTheVersion(t *testing.T) {
	t.Run("S3", func(t *testing.T) { replaceByVersion(t, tests3.Start(t).URL("x")) })
	t.Run("Google", func(t *testing.T) { replaceByVersion(t, testgs.Start(t).URL("x")) })
	t.Run("Azure", func(t *testing.T) { replaceByVersion(t, testazure.Start(t).URL("x")) })
	t.Run("folder", func(t *testing.T) { replaceByVersion(t, filepath.Join(t.TempDir(), "x")) })
}

func replaceByVersion(t *testing.T, url string) {
	t.Helper()
	var s blobs.Stores
	defer s.Close()
	l, err := blobs.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(text string) string {
		name := filepath.Join(folder, text)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	fetch := func(want string) blobs.Version {
		t.Helper()
		name := filepath.Join(folder, "fetched")
		v, err := s.FetchVersion(t.Context(), l, name)
		got, _ := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Fatalf("%s is %q, want %q: %v", l, got, want, err)
		}
		now, ok, err := s.Version(t.Context(), l)
		if err != nil || ok == (l.InDirectory() || want == "") || ok && now != v {
			t.Errorf("%s has the version %v, %v, want %v: %v", l, now, ok, v, err)
		}
		return v
	}
	none := fetch("")
	if none != (blobs.Version{}) {
		t.Errorf("%s: a missing object has the version %v", l, none)
	}
	replace := func(text string, old blobs.Version, want error) {
		t.Helper()
		if err := s.ReplaceFile(t.Context(), l, file(text), old); !errors.Is(err, want) {
			t.Errorf("%s: %q replaces %v: %v, want %v", l, text, old, err, want)
		}
	}
	replace("one", none, nil)
	replace("other", none, blobs.ErrChanged)
	first := fetch("one")
	replace("two", first, nil)
	replace("late", first, blobs.ErrChanged)
	second := fetch("two")
	if first == second || first == none {
		t.Errorf("%s: the versions are %v and %v", l, first, second)
	}
	replace("three", second, nil)
	fetch("three")
}

// TestReplaceFileNeedsABucket writes to a bucket that the store does not have, which no other write has changed.
func TestReplaceFileNeedsABucket(t *testing.T) {
	var s blobs.Stores
	defer s.Close()
	l, err := blobs.Parse(strings.Replace(tests3.Start(t).URL("x"), "//ci/", "//none/", 1))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	v, err := s.FetchVersion(t.Context(), l, filepath.Join(t.TempDir(), "fetched"))
	if err != nil || v != (blobs.Version{}) {
		t.Fatalf("the version is %v: %v", v, err)
	}
	err = s.ReplaceFile(t.Context(), l, name, v)
	if err == nil || errors.Is(err, blobs.ErrChanged) || !strings.Contains(err.Error(), "no such bucket") {
		t.Errorf("a write to a bucket that does not exist: %v", err)
	}
}
