package profarc_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/internal/testkit/fullfs"
)

// onFull says that this process counts in an archive on a full file system.
const onFull = "PROFARC_TEST_FULL"

func init() { runsOfTheirOwn[onFull] = countOnFull }

// countOnFull counts in an archive on a full file system, can't write one there, and writes it beside.
func countOnFull(dir string) error {
	r, err := profarc.Start(filepath.Join(dir, "full", "app.parc"), tinyVM)
	if err != nil {
		return err
	}
	trainRun(r, 2, counts{})
	if _, err := r.Dump(context.Background(), filepath.Join(dir, "full", "app.parc")); !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("dump on a full file system: %w", err)
	}
	_, err = r.Dump(context.Background(), filepath.Join(dir, "beside.parc"))
	return err
}

// TestFileSystemIsFull: counting in an archive copies its pages, and needs no space on its file system. A dump that
// finds no space leaves the archive as it is, loses no count, and can be written elsewhere.
func TestFileSystemIsFull(t *testing.T) {
	t.Parallel()
	dir, truth := t.TempDir(), counts{}
	app := filepath.Join(dir, "app.parc")
	first := start(t, app)
	trainRun(first, 1, truth)
	if _, err := first.Dump(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := fullfs.Run(t, dir, []string{onFull + "=" + dir}, self); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	trainRun(first, 2, truth)
	maps.DeleteFunc(truth, func(_ string, n uint64) bool { return n == 0 })
	want(t, read(t, filepath.Join(dir, "beside.parc")), truth)
}
