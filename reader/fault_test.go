package reader_test

import (
	"context"
	"errors"
	"github.com/profarc/profarc/internal/file/mmap"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A file that is cut short while it is mapped ends walks and batches with an error, not the process.
func TestTruncatedFile(t *testing.T) {
	if runtime.GOOS == "windows" || !mmap.Available {
		t.Skip("a mapped file can not be cut short here")
	}
	const n = 5000
	path := filepath.Join(t.TempDir(), "short.parc")
	if _, err := numbered(n).Commit(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, disk.PageSize); err != nil {
		t.Fatal(err)
	}
	calls := map[string]error{}
	for _, err := range s.Methods() {
		calls["methods"] = err
	}
	for _, err := range s.Types() {
		calls["types"] = err
	}
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = numberedKey(i).ID(layout.DomainHotSpot)
	}
	_, calls["batch"] = s.ProfileIDBatch(ids, nil, make([]reader.Profile, n))
	_, calls["batch of keys"] = s.ProfileBatch([]layout.Key{numberedKey(0)}, nil, make([]reader.Profile, 1))
	for what, err := range calls {
		if !errors.Is(err, layout.ErrTruncated) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
