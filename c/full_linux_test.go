package c_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/fullfs"
)

// TestFileSystemIsFull: counting in an archive copies its pages, and needs no space on its file system. A dump that
// finds no space says so and leaves the archive as it is.
func TestFileSystemIsFull(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program, runs := runner(t)
	dir := t.TempDir()
	app := filepath.Join(dir, "app.parc")
	runs("dump", app, app, "3")
	for _, how := range []string{"dump", "checkpoint"} {
		t.Run(how, func(t *testing.T) {
			full := t.TempDir()
			runs("dump", app, filepath.Join(full, "app.parc"), "0")
			out, err := fullfs.Run(t, full, nil, program, how, "full/app.parc", "full/app.parc", "5")
			if err == nil || !strings.Contains(out, "No space left on device") {
				t.Errorf("%s: %v, %q", how, err, out)
			}
		})
	}
	if out, err := fullfs.Run(t, dir, nil, program, "dump", "full/app.parc", "beside.parc", "5"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantCounts(t, open(t, filepath.Join(dir, "beside.parc")), counts{}.add(3).add(5))
}
