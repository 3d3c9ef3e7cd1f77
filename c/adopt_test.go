package c_test

import (
	"os"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestThreadsCountExactly counts in all profiles with eight threads, which race for
// the claims, at the requested base, elsewhere and in memory.
func TestThreadsCountExactly(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/adopt.c")
	requested := 0
	for _, s := range append(specimen.All(), specimen.Hostile()...) {
		path := writeArchive(t, archiveOf(t, s))
		places := []string{"anywhere", "requested", "memory"}
		if strings.HasPrefix(s.Name, "hostile-") && os.Getenv("PROFARC_EXHAUSTIVE") == "" {
			places = places[:1] // names do not matter to where it lies
		}
		for _, where := range places {
			at := adoptAt(t, program, path, where)
			if where == "anywhere" && at != "elsewhere" {
				t.Errorf("%s: adopted %s, want elsewhere", s.Name, at)
			}
			if at == "requested" {
				requested++
			}
		}
	}
	// The system may have put something at the base of one, but not of all.
	if requested == 0 {
		t.Error("no archive lay at its requested base")
	}
}

// TestThreadsDoNotRace is the same under the thread sanitizer, which lets no program map
// anything at the bases that archives ask for.
func TestThreadsDoNotRace(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "thread").client(t, "tests/adopt.c")
	for _, s := range specimen.All() {
		adoptAt(t, program, writeArchive(t, archiveOf(t, s)), "anywhere")
	}
}

// adoptAt runs adopt.c and returns where the archive lay.
func adoptAt(t *testing.T, program, path, where string) string {
	t.Helper()
	out, stderr, status := runProgram(t, program, path, where, "8")
	at, rest, ok := strings.Cut(string(out), ": ")
	if status != 0 || len(stderr) > 0 || !ok {
		t.Errorf("%s: exit status %d, %s%s", where, status, out, stderr)
	}
	t.Logf("%s: %s, %s", where, at, rest)
	return at
}

// TestExample builds and runs the example.
func TestExample(t *testing.T) {
	t.Parallel()
	program := plain(t).client(t, "examples/count.c")
	for _, s := range specimen.All() {
		if s.Name != "hotspot" {
			continue
		}
		out, stderr, status := runProgram(t, program, writeArchive(t, archiveOf(t, s)))
		if status != 0 || len(stderr) > 0 || !strings.Contains(string(out), "exact") {
			t.Errorf("exit status %d: %s%s", status, out, stderr)
		}
	}
	if _, stderr, status := runProgram(t, program, "no-such-file"); status != 1 ||
		!strings.Contains(string(stderr), "no-such-file") {
		t.Errorf("without a file: exit status %d: %s", status, stderr)
	}
}
