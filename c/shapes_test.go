package c_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// vmWith returns the VM of tests/shapes.c with a shape for each letter.
func vmWith(letters string) profarc.VM {
	vm := profarc.VM{ID: [16]byte{0xb1, 0x5e, 7}, Name: "test VM 1", Rows: 2}
	seen := layout.CellShape{Name: "seen", Kind: layout.CellCount}
	largest := layout.CellShape{Name: "largest", Kind: layout.CellMax}
	marks := layout.CellShape{Name: "marks", Kind: layout.CellBits}
	for _, letter := range letters {
		s := layout.EntryShape{Tag: layout.TagProducer, Name: "Operands", Cells: []layout.CellShape{seen, largest}}
		switch letter {
		case 'k':
			s.Cells[1].Kind = layout.CellMin
		case 'c':
			s.Cells[1].Name = "widest"
		case 's':
			s.Cells = []layout.CellShape{largest, seen}
		case 'b':
			marks.Bits = []string{"odd"}
			fallthrough
		case 'm':
			s.Cells = append(s.Cells, marks)
		case 'l':
			s.Cells = s.Cells[:1]
		case 'n':
			s.Name = "Sizes"
		case 'u':
			s.Unit = 2
		case 't':
			s.Tag++
		case 'x':
			s.Tag += 5
			s.Name = "Lengths"
		}
		vm.Shapes = append(vm.Shapes, s)
	}
	return vm
}

// TestBothLanguagesCompareShapes writes an archive of a VM with some shapes and starts another version of the VM, in
// both languages each. The starts agree on whether the archive fits, and every next dump works.
func TestBothLanguagesCompareShapes(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/shapes.c")
	inC := func(path, letters string) (fits bool) {
		out, stderr, status := runProgram(t, program, "start", path, letters)
		lines := strings.Split(string(out), "\n")
		if status != 0 || len(stderr) > 0 || len(lines) != 3 || lines[1] != "0" {
			t.Fatalf("exit status %d: %s%s", status, out, stderr)
		}
		if strings.HasPrefix(lines[0], "9 ") && !strings.Contains(lines[0], "draw a new id") {
			t.Errorf("shapes %q: %s", letters, lines[0])
		}
		return !strings.HasPrefix(lines[0], "9 ")
	}
	inGo := func(path, letters string) (fits bool) {
		r, err := profarc.Start(path, vmWith(letters))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, layout.ErrIdentity) {
			t.Fatal(err)
		}
		f := r.Function(layout.Key{Class: "A", Name: "m"}, 1)
		f.Calls().Count(1)
		for _, s := range vmWith(letters).Shapes {
			f.Words(addPoint, s.Tag)
		}
		_, dumped := r.Dump(t.Context(), path)
		if failed := errors.Join(dumped, r.Close()); failed != nil {
			t.Fatal(failed)
		}
		return !errors.Is(err, layout.ErrIdentity)
	}
	for pair, want := range map[string]bool{"a a": true, "a ax": true, "a xa": true, "ax a": true, "xa x": true,
		"a x": true, "x a": true, "a ": true, " a": true, "b b": true,
		"a k": false, "a c": false, "a s": false, "a m": false, "m b": false, "b m": false, "m a": false, "a l": false,
		"l a": false, "a n": false, "a u": false, "a t": false, "t a": false, "xa k": false} {
		before, after, _ := strings.Cut(pair, " ")
		for i, write := range []func(path, letters string) bool{inC, inGo} {
			for k, start := range []func(path, letters string) bool{inC, inGo} {
				path := filepath.Join(t.TempDir(), "app.parc")
				write(path, before)
				if fits := start(path, after); fits != want {
					t.Errorf("%q, writer %d, starter %d: fits: %t", pair, i, k, fits)
				}
				s := open(t, path)
				p, err := s.Profile(layout.Key{Class: "A", Name: "m"}, 1)
				if err != nil {
					t.Fatal(err)
				}
				calls, _ := p.Invocations()
				if n := calls.Load(); want != (n == 2) {
					t.Errorf("%q, writer %d, starter %d: %d calls", pair, i, k, n)
				}
			}
		}
	}
}

// TestRunsGetMoreRows: a VM that tells more classes apart gets the rows in the run after the next dump or checkpoint.
func TestRunsGetMoreRows(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/shapes.c")
	for _, out := range []string{"app.parc", "app.more"} {
		path := filepath.Join(t.TempDir(), "app.parc")
		to := filepath.Join(filepath.Dir(path), out)
		for i, want := range []int{2, 2, 6, 6} {
			printed, stderr, status := runProgram(t, program, "rows", path, []string{"2", "8", "8", "2"}[i], to)
			if wanted := fmt.Sprintln(want, 6*(i+1)); status != 0 || len(stderr) > 0 || string(printed) != wanted {
				t.Errorf("%s, run %d: %q, want %q, exit status %d: %s", out, i, printed, wanted, status, stderr)
			}
			if out == "app.more" {
				addCheckpoint(t, path, to)
			}
		}
	}
}

// addCheckpoint adds a checkpoint to an archive, which need not exist.
func addCheckpoint(t *testing.T, path, checkpoint string) {
	t.Helper()
	files := []string{checkpoint}
	if _, err := os.Stat(path); err == nil {
		files = append(files, path)
	}
	data := (*mapped.Mapping)(merged(t, files...).Mapping()).Unchecked()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
