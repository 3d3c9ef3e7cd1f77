package perf

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
)

// TestPipesAreNotOpened: to open a pipe without a writer would block.
func TestPipesAreNotOpened(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"lib.so", "perf-7.map"} {
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o600); err != nil {
			t.Skip(err)
		}
		var f functions
		f.addFile(filepath.Join(root, name), nil)
		f.addText(filepath.Join(root, name), perfdata.Map{Process: 7})
		if len(f.symbols) > 0 {
			t.Errorf("%s has functions", name)
		}
	}
	if name := newProcesses(root).nameOf(7, 1); name != "" {
		t.Errorf("got %s", name)
	}
}
