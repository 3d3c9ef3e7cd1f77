package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
)

// runVM runs the example of a VM, and checks that its sums are exact.
func runVM(t *testing.T, command ...string) (printed string) {
	t.Helper()
	out, stderr, status := runProgram(t, command[0], command[1:]...)
	if status != 0 || len(stderr) > 0 || !strings.Contains(string(out), "all sums are exact") {
		t.Errorf("%s: exit status %d: %s%s", command, status, out, stderr)
	}
	return string(out)
}

// mainCalls returns the number of calls of the main function of the example in its archive.
func mainCalls(t *testing.T, path string) uint64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openBytes(t, data).Profile(layout.Key{Class: "Shapes", Name: "main", Signature: "()"},
		layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := p.Invocations()
	return n.Load()
}

// TestVM runs the example of a VM: it learns, then adopts at the base and elsewhere.
// Every run adds what its eight threads counted.
func TestVM(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	for _, sanitizers := range []string{"address,undefined", "thread"} {
		t.Run(sanitizers, func(t *testing.T) {
			program := sanitized(t, sanitizers).client(t, "examples/vm.c")
			path := filepath.Join(t.TempDir(), "vm.parc")
			runVM(t, program, path)
			once := mainCalls(t, path)
			runVM(t, program, path)
			if out := runVM(t, program, path, "anywhere"); !strings.HasPrefix(out, "adopted elsewhere") {
				t.Errorf("%s", out)
			}
			runVM(t, program, path)
			if n := mainCalls(t, path); once == 0 || n != 4*once {
				t.Errorf("%s: %d calls after four runs, %d after one", sanitizers, n, once)
			}
		})
	}
}

// TestVMKeepsForeignArchives: the example does not replace the archive of another
// producer, and no archive with something else.
func TestVMKeepsForeignArchives(t *testing.T) {
	t.Parallel()
	program := plain(t).client(t, "examples/vm.c")
	for _, data := range [][]byte{archiveOf(t, specimen.All()[0]), []byte("no archive")} {
		path := writeArchive(t, data)
		_, stderr, status := runProgram(t, program, path)
		if now, err := os.ReadFile(path); status != 1 || len(stderr) == 0 || err != nil || string(now) != string(data) {
			t.Errorf("exit status %d, %v: %s", status, err, stderr)
		}
	}
}

// TestValgrind runs clients of all parts of the library under valgrind.
func TestValgrind(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	b := plain(t)
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("there is no valgrind")
	}
	valgrind := func(program string, args ...string) {
		t.Helper()
		all := append([]string{"-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all", program}, args...)
		if out, stderr, status := runProgram(t, "valgrind", all...); status != 0 || len(stderr) > 0 {
			t.Errorf("%s %s: exit status %d: %s%s", program, args, status, out, stderr)
		}
	}
	path, to := writeArchive(t, archiveOf(t, specimen.All()[0])), filepath.Join(t.TempDir(), "b.parc")
	valgrind(b.client(t, "tests/dump.c"), path)
	valgrind(b.client(t, "tests/rewrite.c"), path, to, "trained")
	valgrind(b.client(t, "tests/rewrite.c"), path, to, "live", "anywhere")
	valgrind(b.client(t, "tests/adopt.c"), path, "anywhere", "2")
	valgrind(b.client(t, "tests/agent.c"), path)
	vm := filepath.Join(t.TempDir(), "vm.parc")
	valgrind(b.client(t, "examples/vm.c"), vm)
	valgrind(b.client(t, "examples/vm.c"), vm)
	journal := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(journal, drawProgram(layout.DomainHotSpot, 5).bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	valgrind(b.replayer(t), journal, to)
}
