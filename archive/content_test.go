package archive

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The sum of a directory depends on its files and their names, not on its place.
func TestSumContent(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, d := range []string{a, b} {
		put(t, filepath.Join(d, "x", "A.class"), "one")
		put(t, filepath.Join(d, "x-y"), "two")
	}
	file := SumContent(ctx, filepath.Join(a, "x-y"))
	if want := (layout.Content{Kind: disk.ContentFile, Size: 3, Sum: xxhash.Sum64String("two")}); file != want {
		t.Errorf("a file is %+v, want %+v", file, want)
	}
	before := SumContent(ctx, a)
	if before.Kind != disk.ContentDirectory || before.Size != 6 || before != SumContent(ctx, b) {
		t.Errorf("directories are %+v, %+v", before, SumContent(ctx, b))
	}
	put(t, filepath.Join(b, "x", "A.class"), "0ne")
	put(t, filepath.Join(a, "x", "B.class"), "")
	if x, y := SumContent(ctx, a), SumContent(ctx, b); x.Sum == before.Sum || y.Sum == before.Sum || x.Sum == y.Sum {
		t.Error("directories that differ have one sum")
	}
	if got := SumContent(ctx, filepath.Join(dir, "none")); got != (layout.Content{}) {
		t.Errorf("nothing is %+v", got)
	}
	if runtime.GOOS == "linux" {
		if got := SumContent(ctx, os.DevNull); got.Kind != disk.ContentUnknown {
			t.Errorf("a device is %+v", got)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if got := SumContent(ended, put(t, filepath.Join(dir, "large"),
		string(make([]byte, 3<<20)))); got.Kind != disk.ContentUnknown {
		t.Errorf("after the end of the context: %+v", got)
	}
}
