package jsondump_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What happens to the file below an open archive, and the error of reading all of it then: nil if all is as before.
var below = []struct {
	what string
	do   func(path string, size int64) error
	want error
}{
	{"another file takes its name", func(path string, size int64) error {
		return errors.Join(os.WriteFile(path+".new", make([]byte, size), 0o600), os.Rename(path+".new", path))
	}, nil},
	{"it is removed", func(path string, _ int64) error { return os.Remove(path) }, nil},
	{"its pages are dropped", func(path string, size int64) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, size, unix.FADV_DONTNEED))
	}, nil},
	{"it is cut to a half", func(path string, size int64) error { return os.Truncate(path, size/2) }, nil}, // of a page
	{"it is cut to nothing", func(path string, _ int64) error { return os.Truncate(path, 0) }, layout.ErrTruncated},
	{"it is overwritten", func(path string, size int64) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, int(size)), 0)
		return err
	}, layout.ErrCorrupt},
}

// TestFilesChangeBelowArchives changes the file of each specimen after it was opened and before anything was read. All
// of it is read as before, or reading ends in an error, and never in another answer or a signal. Pages that were
// checked before a change are not checked again.
func TestFilesChangeBelowArchives(t *testing.T) {
	t.Parallel()
	for _, sp := range specimen.All() {
		data, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := jsondump.WriteArchive(&want, store(t, data)); err != nil {
			t.Fatal(err)
		}
		for _, event := range below {
			got, err := readAfter(t, data, event.do)
			switch same := bytes.Equal(got, want.Bytes()); {
			case err == nil && !same:
				t.Errorf("%s, %s: another answer", sp.Name, event.what)
			case event.want != nil && !errors.Is(err, event.want):
				t.Errorf("%s, %s: %v, want %v", sp.Name, event.what, err, event.want)
			}
		}
	}
}

// readAfter opens an archive, lets something happen to its file, and returns the dump of all of it.
func readAfter(t *testing.T, data []byte, happen func(path string, size int64) error) ([]byte, error) {
	path := filepath.Join(t.TempDir(), "a.parc")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := happen(path, int64(len(data))); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = s.Mapping().Guard(func() error { return jsondump.WriteArchive(&out, s) })
	return out.Bytes(), err
}
