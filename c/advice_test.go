package c_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// advised returns the advice of package profarc in the form of tests/advice.c.
func advised(t *testing.T, archive string) string {
	t.Helper()
	r, err := profarc.Start(archive, testVM)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var s strings.Builder
	for _, name := range []string{"fresh", "cold", "stable", "fickle", "failing", "f", "g"} {
		a := r.Function(layout.Key{Name: name}, 7).Advice()
		do := map[[2]bool]string{{false, false}: "neither", {false, true}: "count", {true, false}: "compile",
			{true, true}: "compile and count"}[[2]bool{a.Compile, a.Count}]
		fmt.Fprintf(&s, "%s: %s, %s, %d runs, %d changed, %d deopts\n", name, a.Reason, do, a.Runs, a.Changed, a.Deopts)
	}
	for _, p := range r.Hot(100) {
		m, err := p.Method()
		if err != nil {
			t.Fatal(err)
		}
		key, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		calls, _ := p.Invocations()
		fmt.Fprintf(&s, "hot %s %d, code %d\n", key.Name, calls.Trained(), p.Code())
	}
	return s.String()
}

// TestAdviceOfBothLanguages: libprofarc and package profarc advise the same, about dumps of libprofarc and about
// merges of its checkpoints. A merge of one dump must compute the same tables.
func TestAdviceOfBothLanguages(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/advice.c")
	run := func(args ...string) string {
		out, stderr, status := runProgram(t, program, args...)
		if status != 0 || len(stderr) > 0 {
			t.Fatalf("%s: exit status %d: %s%s", args, status, out, stderr)
		}
		return string(out)
	}
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	run("dumps", path("dump.parc"))
	run("checkpoints", folder)
	var parts []string
	for i := range 10 {
		parts = append(parts, path(fmt.Sprintf("%d.parc", i)))
	}
	for to, inputs := range map[string][]string{"sum.parc": parts, "again.parc": {path("dump.parc")}} {
		if _, err := merge.Files(t.Context(), path(to), inputs...); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"dump.parc": "fickle: hot points went another way in 2 of 4 runs, count, 4 runs, 2 changed, 0 deopts\n" +
			"failing: 8 deoptimizations in 4 runs, count, 4 runs, 0 changed, 8 deopts\n",
		"sum.parc": "f: hot points went another way in 3 of 4 runs, count, 4 runs, 3 changed, 0 deopts\n" +
			"g: not hot in 3 runs, neither, 3 runs, 0 changed, 0 deopts\n",
	} {
		got := run("print", path(name))
		if !strings.Contains(got, want) {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
		var lines []string
		for line := range strings.Lines(got) {
			line, _, _ = strings.Cut(line, ", first ")
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
		if want := advised(t, path(name)); !strings.HasPrefix(strings.Join(lines, "\n"), strings.TrimSpace(want)) {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
	if got, want := run("print", path("again.parc")), run("print", path("dump.parc")); got != want {
		t.Errorf("after a merge\n%swant\n%s", got, want)
	}
	wantLast := "iterations 12\ncoverage 0.75\ntarget Circle 0.80\n"
	if got := run("print", path("dump.parc")); !strings.HasSuffix(got, wantLast) {
		t.Errorf("%swant\n%s", got, wantLast)
	}
}
