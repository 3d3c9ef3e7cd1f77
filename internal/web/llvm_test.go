package web

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/llvm"
	"github.com/profarc/profarc/internal/memstore"
	"github.com/profarc/profarc/internal/specimen"
)

const twiceSource = `int twice(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += 2;
  if (sum < 0)
    sum = 7;
  return sum;
}
int main(void) { return twice(20) + twice(1) - 42; }
`

// loopSite returns a site of a C program and its profile.
func loopSite(t *testing.T) *Site {
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("no clang on this machine")
	}
	dir := t.TempDir()
	run := func(command ...string) {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "LLVM_PROFILE_FILE=app.profraw")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "loop.c"), []byte(twiceSource), 0o666); err != nil {
		t.Fatal(err)
	}
	run(clang, "-fprofile-instr-generate", "-fcoverage-mapping", "-o", "app", "loop.c")
	run(filepath.Join(dir, "app"))
	raw, err := os.ReadFile(filepath.Join(dir, "app.profraw"))
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := llvm.Read(bytes.NewReader(raw), llvm.ReadOptions{Name: "app.profraw"})
	if err != nil {
		t.Fatal(err)
	}
	return NewSite(t.Context(), Options{Archive: memstore.Open(t, b), Binary: filepath.Join(dir, "app"), SourcePath: []string{dir}})
}

// methodPageOf returns the page of the method of a name.
func methodPageOf(t *testing.T, site *Site, name string) *methodPage {
	for m, err := range site.Archive.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		if found, err := m.Name(); err != nil || found.String() != name {
			continue
		}
		r := requestOf(t, site, nameOfMethod)
		r.query = methodQuery(m)
		return built[*methodPage](t, r)
	}
	t.Fatalf("the archive has no %s", name)
	return nil
}

// TestLinesOfAFunctionHaveTheirCounts builds a program whose counts can be told by reading it.
func TestLinesOfAFunctionHaveTheirCounts(t *testing.T) {
	t.Parallel()
	site := loopSite(t)
	p := methodPageOf(t, site, "twice").LLVM
	want := map[int]uint64{1: 2, 4: 21, 5: 2, 6: 0, 7: 2}
	for _, l := range p.Lines {
		if n, known := want[l.Number]; known && (!l.Mapped || l.Count != n) {
			t.Errorf("line %d was executed %d times, want %d", l.Number, l.Count, n)
		}
		delete(want, l.Number)
		if l.Text != strings.Split(twiceSource, "\n")[l.Number-1] {
			t.Errorf("line %d is %q", l.Number, l.Text)
		}
	}
	if len(want) > 0 || p.Entered != 2 {
		t.Errorf("entered %d times; without lines: %v; %s", p.Entered, want, p.Says)
	}
	if len(p.Blocks) != 1 || p.Blocks[0].Most != 21 || len(p.Blocks[0].Bars) != 3 {
		t.Errorf("the charts are %+v", p.Blocks)
	}
}

// TestFunctionsWithoutAMappingSayWhy gives a program that is none, and profiles of IR.
func TestFunctionsWithoutAMappingSayWhy(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		if !sp.Domain.LLVM() {
			continue
		}
		site := specimenSite(t, sp)
		site.Binary = text
		for m, err := range site.Archive.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			r := requestOf(t, site, nameOfMethod)
			r.query = methodQuery(m)
			if p := built[*methodPage](t, r); !strings.Contains(p.LLVM.Says, "shown by block: ") || len(p.LLVM.Lines) > 0 {
				t.Errorf("%s: %s", sp.Name, p.LLVM.Says)
			}
		}
	}
}
