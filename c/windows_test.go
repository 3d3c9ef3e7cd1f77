package c_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestWindows compiles the library for Windows, and links the tutorial with it. It runs neither.
func TestWindows(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	const cc = "x86_64-w64-mingw32-gcc"
	compilers(t) // and make
	if _, err := exec.LookPath(cc); err != nil {
		t.Skip("there is no compiler for Windows")
	}
	b := build{cc: cc, flags: "-O0", link: "-static"}
	library, err := b.archive()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.compile(library, filepath.Join("examples", "first.c")); err != nil {
		t.Error(err)
	}
}
