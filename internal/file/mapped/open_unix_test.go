//go:build unix && !aix

package mapped

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/layout"
)

// Opening a pipe that nobody writes to does not wait.
func TestPipeIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no pipe: ", err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, layout.ErrFormat) {
		t.Error(err)
	}
}

// A mapped archive keeps its bytes when another takes its name.
func TestReplacedWhileMapped(t *testing.T) {
	data := synthetic{ro: 5 * disk.PageSize, rw: 64}.bytes()
	path := writeFile(t, data)
	m := mustOpen(t, path, Options{})
	if err := publish.At(t.Context(), path, func(f *publish.File) error {
		_, err := f.WriteAt([]byte("another"), 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := m.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	rw := disk.RegionOf(m.Header(), disk.RegionRW)
	if a := mustAdopt(t, m, BaseAnywhere); string(a.RW) != string(data[rw.Offset:]) {
		t.Error("the archive that took the name was adopted")
	}
}
