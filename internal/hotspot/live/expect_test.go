package live

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

// A dump is opened for its own program, for one with a longer class path if prefixes are
// enough, and for any other by methods alone.
func TestDumpIsExpectedOfItsProgram(t *testing.T) {
	testjvm.Each(t, func(t *testing.T, home string) {
		j := start(t, home, "Twins")
		j.await("ready")
		vm, err := Attach(context.Background(), j.pid())
		if err != nil {
			t.Fatal(err)
		}
		b, r, err := vm.Dump(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Describe(context.Background(), b, &Contents{})
		path := filepath.Join(t.TempDir(), "a.parc")
		if _, err := b.Commit(context.Background(), path); err != nil {
			t.Fatal(err)
		}
		own := archive.Program{VM: r.Run.VM, ClassPath: r.Run.ClassPath}
		longer := archive.Program{VM: own.VM, ClassPath: append(slices.Clone(own.ClassPath),
			layout.ClassPathEntry{Path: "more.jar", Content: layout.Content{Kind: disk.ContentFile, Size: 1, Sum: 2}})}
		other := archive.Program{VM: own.VM + "x", ClassPath: own.ClassPath}
		for name, c := range map[string]struct {
			program archive.Program
			fits    [3]bool // strictly, with appended entries, any program
		}{"own": {own, [3]bool{true, true, true}}, "longer": {longer, [3]bool{false, true, true}},
			"other": {other, [3]bool{false, false, true}}} {
			appended := c.program
			appended.Appended = true
			for i, program := range []*archive.Program{&c.program, &appended, nil} {
				m, err := archive.Open(path, archive.Options{Expect: archive.Expect{Program: program}})
				if fits := c.fits[i]; fits != (err == nil) || err != nil && !errors.Is(err, layout.ErrIdentity) {
					t.Errorf("%s, %+v: %v", name, program, err)
				}
				if err == nil {
					_ = m.Close()
				}
			}
		}
	})
}
