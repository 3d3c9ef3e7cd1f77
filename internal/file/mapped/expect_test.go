package mapped

import (
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A program is held against the one that was recorded strictly, by the prefix of
// its class path, or not at all.
func TestExpectProgram(t *testing.T) {
	entry := func(sum uint64) layout.ClassPathEntry {
		return layout.ClassPathEntry{Path: "anywhere.jar",
			Content: layout.Content{Kind: disk.ContentFile, Size: 9, Sum: sum}}
	}
	app, lib, more := entry(1), entry(2), entry(3)
	program := func(vm string, entries ...layout.ClassPathEntry) *Program {
		return &Program{VM: vm, ClassPath: entries}
	}
	recorded := disk.Fingerprint("VM 17", []layout.ClassPathEntry{app, lib})
	unread := layout.ClassPathEntry{Content: layout.Content{Kind: disk.ContentUnknown}}
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
		appended := *test.program
		appended.Appended = true
		for _, c := range []struct {
			program *Program
			fits    bool
		}{{test.program, test.strict}, {&appended, test.prefix}, {nil, test.method}} {
			e := Expect{Program: c.program}
			if err := e.checkHeader(&layout.Header{Fingerprint: test.recorded}); (err == nil) != c.fits {
				t.Errorf("%s, %+v: %v", name, c.program, err)
			}
		}
	}
}
