package archive

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/format/disk"
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
	if want := (layout.Content{Kind: layout.ContentFile, Size: 3, Sum: xxhash.Sum64String("two")}); file != want {
		t.Errorf("a file is %+v, want %+v", file, want)
	}
	before := SumContent(ctx, a)
	if before.Kind != layout.ContentDirectory || before.Size != 6 || before != SumContent(ctx, b) {
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
		if got := SumContent(ctx, os.DevNull); got.Kind != layout.ContentUnknown {
			t.Errorf("a device is %+v", got)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if got := SumContent(ended, put(t, filepath.Join(dir, "large"),
		string(make([]byte, 3<<20)))); got.Kind != layout.ContentUnknown {
		t.Errorf("after the end of the context: %+v", got)
	}
}

// A program is held against the one that was recorded strictly, by the prefix of
// its class path, or not at all.
func TestExpectProgram(t *testing.T) {
	entry := func(sum uint64) layout.ClassPathEntry {
		return layout.ClassPathEntry{Path: "anywhere.jar",
			Content: layout.Content{Kind: layout.ContentFile, Size: 9, Sum: sum}}
	}
	app, lib, more := entry(1), entry(2), entry(3)
	program := func(vm string, entries ...layout.ClassPathEntry) *Program { return &Program{vm, entries} }
	recorded := disk.Fingerprint("VM 17", []layout.ClassPathEntry{app, lib})
	unread := layout.ClassPathEntry{Content: layout.Content{Kind: layout.ContentUnknown}}
	for name, test := range map[string]struct {
		recorded               [16]byte
		program                *Program
		strict, prefix, method bool
	}{
		"the same":      {recorded, program("VM 17", app, lib), true, true, true},
		"appended":      {recorded, program("VM 17", app, lib, more), false, true, true},
		"prepended":     {recorded, program("VM 17", more, app, lib), false, false, true},
		"shorter":       {recorded, program("VM 17", app), false, false, true},
		"other order":   {recorded, program("VM 17", lib, app), false, false, true},
		"changed":       {recorded, program("VM 17", app, more), false, false, true},
		"other VM":      {recorded, program("VM 18", app, lib), false, false, true},
		"unread":        {recorded, program("VM 17", app, lib, unread), false, true, true},
		"unread before": {recorded, program("VM 17", app, unread, lib), false, false, true},
		"nothing known": {[16]byte{}, program("VM 17", unread), false, false, true},
		"no class path": {disk.Fingerprint("VM 17", nil), program("VM 17"), false, false, true},
		"an empty one":  {disk.Fingerprint("VM 17", []layout.ClassPathEntry{}), program("VM 17", app), false, true, true},
		"whole prefixes": {disk.Fingerprint("VM 17", []layout.ClassPathEntry{app}), program("VM 17", app, lib), false,
			true, true},
	} {
		for match, want := range map[Match]bool{MatchStrict: test.strict, MatchPrefix: test.prefix,
			MatchMethods: test.method} {
			e := Expect{Program: test.program, Match: match}
			if err := e.check(&layout.Header{Fingerprint: test.recorded}); (err == nil) != want {
				t.Errorf("%s, match %d: %v", name, match, err)
			}
		}
	}
}
