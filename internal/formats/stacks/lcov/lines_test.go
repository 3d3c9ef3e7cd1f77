package lcov

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The program has functions that begin in another file than the one that is compiled, and
// one that is not used.
var program = map[string]string{
	"app.c": `#include "twice.h"
static inline int unused(int x) { return x; }
int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 9; i++)
		sum += i % 3 ? twice(i)
		             : -1;
	return sum == 4;
}
`,
	"twice.h": `static int twice(int x)
{
	if (x == 7)
		return 0;
	return TIMES * x;
}
`,
}

// compile builds and runs a program that multiplies by a number, with release 14 of LLVM,
// and returns the folder.
func compile(t *testing.T, times string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range program {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	llvm14(t, dir, "clang", "-fprofile-instr-generate=app.profraw", "-fcoverage-mapping", "-DTIMES="+times, "-o",
		"app", "app.c")
	app := exec.Command("./app")
	app.Dir = dir
	if out, err := app.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// llvm14 runs a program of LLVM 14 and returns its output.
func llvm14(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	full.Only(t, "runs compilers and their tools")
	if _, err := exec.LookPath(name + "-14"); err != nil {
		t.Skipf("no %s-14 on this machine", name)
	}
	cmd := exec.Command(name+"-14", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	return out
}

func imported(t *testing.T, file string) *reader.Store {
	t.Helper()
	profile, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer profile.Close()
	r, err := (&llvm.Importer{}).Import(&codec.Input{Reader: profile, Name: file})
	if err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, r.Sum)
}

// TestLinesAsLLVM: the tracefile equals llvm-cov's, which has branches, too, and no name of a test.
func TestLinesAsLLVM(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	dir := compile(t, "2")
	llvm14(t, dir, "llvm-profdata", "merge", "-o", "app.profdata", "app.profraw")
	want := llvm14(t, dir, "llvm-cov", "export", "-format=lcov", "-instr-profile=app.profdata", "app")
	var got bytes.Buffer
	e := &Exporter{Programs: []string{filepath.Join(dir, "app")}}
	report, err := e.Export(&got, imported(t, filepath.Join(dir, "app.profraw")))
	if err != nil || len(report.Lost) > 0 {
		t.Fatal(report.Lost, err)
	}
	other := regexp.MustCompile(`(?m)^(BR|TN).*\n`)
	if diff := cmp.Diff(other.ReplaceAllString(string(want), ""), other.ReplaceAllString(got.String(), "")); diff != "" {
		t.Errorf("other than llvm-cov has it:\n%s", diff)
	}
}

func TestLinesThatAreNotThere(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	dir := compile(t, "2*(x>3?1:2)")
	app := filepath.Join(dir, "app")
	store := imported(t, filepath.Join(compile(t, "2"), "app.profraw"))
	var out bytes.Buffer
	report, err := WriteLines(&out, store, app)
	if err != nil || len(report.Lost) != 1 || report.Lost.Count(LossMismatch) != 1 || report.Lost[0].Amount == 0 ||
		len(report.Lost[0].First) != 1 {
		t.Errorf("%v, %v", report, err)
	}
	if report, err = WriteLines(&out, store, app, filepath.Join(dir, "app.c")); !errors.Is(err, coverage.ErrNotProgram) {
		t.Errorf("%v, %v", report, err)
	}
	i := slices.IndexFunc(specimen.All(), func(s specimen.Specimen) bool { return s.Domain == layout.DomainLLVMFrontend })
	if report, err = WriteLines(&out, memstore.Open(t, specimen.All()[i].Build()), app); err != nil ||
		report.Lost.Count(LossUnmapped) != 3 || report.Lost.Count(LossMismatch) != 1 {
		t.Errorf("%v, %v", report, err)
	}
}
