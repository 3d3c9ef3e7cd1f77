package c_test

import (
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestReceivers checks type profiles of runs with archives and without, one that is mapped elsewhere among them.
// Arrivals of classes that are not loaded must count as other classes. ThreadSanitizer allows no mapping at the
// address that archives request, and its programs must map them elsewhere.
func TestReceivers(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	for _, sanitizers := range []string{"address,undefined", "thread"} {
		t.Run(sanitizers, func(t *testing.T) {
			program := sanitized(t, sanitizers).client(t, "tests/receivers.c")
			out, stderr, status := runProgram(t, program, filepath.Join(t.TempDir(), "app.parc"))
			if status != 0 || len(stderr) > 0 {
				t.Errorf("exit status %d: %s%s", status, out, stderr)
			}
		})
	}
}

// TestInlineCache runs the example twice. An arrival that hits the cache must count in the archive, as one that does
// not.
func TestInlineCache(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "examples/cache.c")
	app := filepath.Join(t.TempDir(), "app.parc")
	for _, want := range []string{
		"compile for any class\nCircle 990\nSquare 10\n",
		"compile for Circle\nCircle 1980\nSquare 20\n",
	} {
		out, stderr, status := runProgram(t, program, app)
		if status != 0 || string(out) != want || len(stderr) > 0 {
			t.Errorf("exit status %d: %s%s, want %s", status, out, stderr, want)
		}
	}
}
