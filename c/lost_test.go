package c_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// TestNamesThatArchivesCannotHold: a dump leaves out functions and classes whose names have a NUL byte or are too long,
// names the first, and writes all others. Any code and unknown code are the same function, which the next run finds.
func TestNamesThatArchivesCannotHold(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	app := filepath.Join(t.TempDir(), "app.parc")
	out, stderr, status := runProgram(t, sanitized(t, "address,undefined").client(t, "tests/lost.c"), app)
	want := []string{
		"unknown code 1, 4 bytes 1, 6 bytes 1, others 0", `0 profiles, 1 rows, code 13, first n\0ul`,
		"unknown code 2, 6 bytes 2, others 2", `1 profiles, 0 rows, code 13, first A.n\0ul`,
		"unknown code 3, 6 bytes 3, others 3", "1 profiles, 0 rows, code 13, first A.xxxxxxxx",
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if status != 0 || len(stderr) > 0 || len(got) != len(want) {
		t.Fatalf("exit status %d: %s%s", status, out, stderr)
	}
	for i, line := range got {
		if i < len(want)-1 && line != want[i] || !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d: %s, want %s", i+1, line, want[i])
		}
	}
	s := open(t, app)
	for _, c := range []struct {
		name string
		code uint64
	}{{strings.Repeat("x", 1<<20), 7}, {"unknown", layout.CodeUnknown}} {
		p, err := s.Profile(layout.Key{Class: "A", Name: c.name}, c.code)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := p.Invocations(); n.Load() != 3 {
			t.Errorf("%.10s: %d calls, want 3", c.name, n.Load())
		}
	}
}
