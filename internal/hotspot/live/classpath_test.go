package live

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A file on several class paths is read once, unless it has changed; after the
// end of the context nothing is known.
func TestContents(t *testing.T) {
	if _, _, _, err := (&origin{}).openPath(os.DevNull); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.jar")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	o, c := &origin{launch: launch{dir: dir}}, &Contents{}
	paths := []layout.ClassPathEntry{{Path: "a.jar"}, {Path: "none.jar"}, {Path: "./a.jar"}, {Path: os.DevNull}}
	first := c.readClassPath(t.Context(), o, paths)
	if len(first) != 3 || first[0].Kind != disk.ContentFile || first[1].Kind != disk.ContentMissing ||
		first[2].Kind != disk.ContentUnknown {
		t.Fatalf("%+v", first)
	}
	if again := c.readClassPath(t.Context(), o, paths); again[0] != first[0] || len(c.known) != 1 {
		t.Errorf("%+v, %d files known", again, len(c.known))
	}
	write("other")
	if changed := c.readClassPath(t.Context(), o, paths); changed[0].Sum == first[0].Sum || changed[0].Size != 5 {
		t.Errorf("%+v", changed)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	unread := []layout.ClassPathEntry{{Path: "b.jar", Content: layout.Content{Kind: disk.ContentUnknown}}}
	if got := c.readClassPath(ended, o, unread); len(got) != 1 || got[0].Kind == disk.ContentFile {
		t.Errorf("after the end: %+v", got)
	}
	if c.readClassPath(t.Context(), o, nil) != nil {
		t.Error("a class path that is not known has entries")
	}
}
