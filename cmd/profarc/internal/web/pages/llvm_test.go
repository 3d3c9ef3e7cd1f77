package pages

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/coverage"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
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
	full.Only(t, "runs compilers and their tools")
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
	r, err := (&llvm.Importer{}).Import(&codec.Input{Reader: bytes.NewReader(raw), Name: "app.profraw"})
	if err != nil {
		t.Fatal(err)
	}
	return NewSite(t.Context(), Options{Archive: memstore.Open(t, r.Sum), Binary: filepath.Join(dir, "app"),
		SourcePath: []string{dir}})
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
	full.Only(t, "takes many inputs")
	t.Parallel()
	site := loopSite(t)
	p := methodPageOf(t, site, "twice").LLVM
	want := map[int]uint64{1: 2, 4: 21, 5: 2, 6: 0, 7: 2}
	for _, l := range p.Source.Lines {
		if n, known := want[l.number]; known && l.Count != fmt.Sprint(n) {
			t.Errorf("line %d was executed %s times, want %d", l.number, l.Count, n)
		}
		delete(want, l.number)
		if l.Text != strings.Split(twiceSource, "\n")[l.number-1] {
			t.Errorf("line %d is %q", l.number, l.Text)
		}
	}
	if len(want) > 0 || p.Entered != 2 {
		t.Errorf("entered %d times; without lines: %v; %s", p.Entered, want, p.Says)
	}
	for line, want := range map[int][3]string{3: {"i < n", "true 21", "false 2"}, 5: {"sum < 0", "true 0", "false 2"}} {
		b := p.Source.Lines[line-1].Branches
		if len(b) != 1 || len(b[0].Outcomes) != 2 {
			t.Fatalf("line %d has the branches %v", line, b)
		}
		got := [3]string{b[0].Kind}
		for i, o := range b[0].Outcomes {
			got[i+1] = fmt.Sprintf("%s %d", o.What.Text, o.Count)
		}
		if got != want {
			t.Errorf("line %d has the branch %q, want %q", line, got, want)
		}
	}
	if at := p.Counters[0].Highest; len(at) != 2 || at[0].Index != 1 || at[0].Count != 21 || at[0].At == nil ||
		at[0].At.Text != "line 4" {
		t.Errorf("the highest counters are %+v", at)
	}
	if len(p.Counters) != 1 || p.Counters[0].Of != 3 {
		t.Errorf("the counters are %+v", p.Counters)
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
		reason := coverage.ErrNotProgram.Error()
		if sp.Domain == layout.DomainLLVMIR {
			site.Binary = ""
			reason = coverage.ErrDomain.Error()
		}
		for m, err := range site.Archive.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			r := requestOf(t, site, nameOfMethod)
			r.query = methodQuery(m)
			if p := built[*methodPage](t, r); !strings.Contains(p.LLVM.Says, "shown by block: ") || p.LLVM.Source != nil ||
				!strings.Contains(p.LLVM.Says, reason) {
				t.Errorf("%s: %s", sp.Name, p.LLVM.Says)
			}
		}
	}
}
