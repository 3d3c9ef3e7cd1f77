package vm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// A run is one run of the program. It starts with the archive at a path, unless that is "", calls functions in rounds,
// and dumps.
type run struct {
	with              string
	functions, rounds int
}

func (r run) dump(t *testing.T, to string) (vm *VM, sum uint64) {
	t.Helper()
	p := Generate()
	vm = begin(t, p, r.with)
	for range r.rounds {
		sum += p.Round(vm, r.functions)
	}
	dump(t, vm, to)
	return vm, sum
}

// begin makes a VM with an archive, unless its path is "".
func begin(t *testing.T, p *Program, with string) *VM {
	t.Helper()
	vm, err := NewVM(p, with)
	if (err == nil) != (with != "") {
		t.Fatalf("archive %q: %v", with, err)
	}
	t.Cleanup(func() { _ = vm.Close() })
	return vm
}

func dump(t *testing.T, vm *VM, to string) {
	t.Helper()
	if lost, err := vm.Dump(t.Context(), to); err != nil || lost.Rows+lost.Profiles > 0 {
		t.Fatal(lost, err)
	}
}

// sum merges archives.
func sum(ctx context.Context, to string, dumps ...string) error {
	b := builder.New(layout.DomainCustom, builder.Config{})
	for _, path := range dumps {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			return err
		}
		if err := errors.Join(merge.Into(ctx, b, s, merge.Run{}), s.Close()); err != nil {
			return err
		}
	}
	_, err := b.Commit(ctx, to)
	return err
}

// TestAnArchiveMakesTheStartFaster checks that a run with an archive computes the same results with a fraction of the
// slow instructions, and counts the same.
func TestAnArchiveMakesTheStartFaster(t *testing.T) {
	full.Only(t, "takes many inputs")
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.parc"), filepath.Join(dir, "second.parc")
	cold, want := run{functions: workers, rounds: 1}.dump(t, first)
	warm, got := run{with: first, functions: workers, rounds: 1}.dump(t, second)
	if got != want {
		t.Errorf("the sum is %d with an archive, %d without", got, want)
	}
	if warm.Slow > cold.Slow/8 || warm.Quickened < cold.Quickened*2 {
		t.Errorf("%d slow instructions and %d quickened, without an archive %d and %d", warm.Slow, warm.Quickened, cold.Slow,
			cold.Quickened)
	}
	if diff := cmp.Diff(countsIn(t, first), countsIn(t, second)); diff != "" {
		t.Errorf("the runs count differently (-without +with an archive):\n%s", diff)
	}
}

// TestFiveRunsAreMerged checks that the initial archive merged with five runs that used it has the same counts as six
// runs without an archive.
func TestFiveRunsAreMerged(t *testing.T) {
	full.Only(t, "takes many inputs")
	dir := t.TempDir()
	first := filepath.Join(dir, "first.parc")
	learnt, alone := []string{first}, []string{}
	for i := range 6 {
		r := run{functions: 200 + 60*i, rounds: 1 + i%2}
		dump := filepath.Join(dir, fmt.Sprintf("cold%d.parc", i))
		r.dump(t, dump)
		alone = append(alone, dump)
		if i == 0 {
			r.dump(t, first)
			continue
		}
		r.with = first
		learnt = append(learnt, filepath.Join(dir, fmt.Sprintf("warm%d.parc", i)))
		if vm, _ := r.dump(t, learnt[i]); vm.profiles.Store() == nil {
			t.Fatal("the archive was not opened")
		}
	}
	sums := []string{filepath.Join(dir, "learnt.parc"), filepath.Join(dir, "alone.parc")}
	for i, dumps := range [][]string{learnt, alone} {
		if err := sum(t.Context(), sums[i], dumps...); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(countsIn(t, sums[1]), countsIn(t, sums[0])); diff != "" {
		t.Errorf("-six runs alone +one and five with its archive:\n%s", diff)
	}
	last, sum := run{with: sums[0], functions: 300, rounds: 1}.dump(t, filepath.Join(dir, "last.parc"))
	_, want := run{functions: 300, rounds: 1}.dump(t, filepath.Join(dir, "unused.parc"))
	if sum != want || last.Quickened == 0 {
		t.Errorf("with the merged archive: the sum is %d, want %d; %d quickened", sum, want, last.Quickened)
	}
}

// TestWhatAnArchiveDoesNotHave checks that functions with other code are not adopted, and that new classes of an
// instruction are recorded in its free rows.
func TestWhatAnArchiveDoesNotHave(t *testing.T) {
	dir := t.TempDir()
	empty, dumped := filepath.Join(dir, "empty.parc"), filepath.Join(dir, "dump.parc")
	cold := filepath.Join(dir, "cold.parc")
	p := Generate()
	vm := begin(t, p, "")
	const n = 200
	for _, f := range p.Order(n) {
		vm.call(f, integer(0)) // no loop is run
	}
	dump(t, vm, empty)
	p = Generate()
	other := p.Order(n)[n-1]
	other.Code[0].A = 1000 // the sum begins there
	other.finish()
	vm = begin(t, p, empty)
	answer := p.Round(vm, n)
	p.Round(vm, n)
	dump(t, vm, dumped)
	_, want := run{functions: n, rounds: 1}.dump(t, cold)
	if answer != want+1000 || trained(vm, other) || !trained(vm, p.Order(n)[n-2]) {
		t.Errorf("the sum is %d, want %d; in the archive: %t and %t", answer, want+1000, trained(vm, other),
			trained(vm, p.Order(n)[n-2]))
	}
	if err := sum(t.Context(), empty, cold, cold+"2"); err == nil {
		t.Error("merged a dump that does not exist")
	}
	twice := filepath.Join(dir, "twice.parc")
	run{functions: n, rounds: 2}.dump(t, twice)
	got, all := countsIn(t, dumped), countsIn(t, twice)
	delete(got, other.Owner+"."+other.Name)
	delete(all, other.Owner+"."+other.Name)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("-without +with an archive that had no classes:\n%s", diff)
	}
}

// trained reports whether a function counts in the archive.
func trained(vm *VM, f *Function) bool {
	_, ok := vm.profiles.Function(f.Key(), f.id).Trained()
	return ok
}

// TestAVMRunsWithoutItsArchive checks that the VM runs if its archive cannot be opened.
func TestAVMRunsWithoutItsArchive(t *testing.T) {
	p := Generate()
	vm, err := NewVM(p, filepath.Join(t.TempDir(), "missing.parc"))
	p.Round(vm, 100)
	if !errors.Is(err, fs.ErrNotExist) || vm.Quickened == 0 {
		t.Errorf("%v, %d quickened", err, vm.Quickened)
	}
}

// countsIn returns the counters of all functions, and the classes of each site in the order of their names.
func countsIn(t *testing.T, path string) map[string][]string {
	t.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all := map[string][]string{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		k, _ := m.Key()
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			all[k.Class+"."+k.Name] = append(all[k.Class+"."+k.Name], profileText(p)...)
		}
	}
	return all
}

func profileText(p reader.Profile) (lines []string) {
	calls, _ := p.Invocations()
	lines = append(lines, fmt.Sprintf("code %x, calls %d", p.Code(), calls.Load()))
	for e := range p.Entries() {
		if e.Tag() == layout.TagSuccessors {
			lines = append(lines,
				fmt.Sprintf("%d: taken %d, not taken %d", e.Point(), e.Cell(1).Load(), e.Cell(3).Load()))
		}
		if r, ok := e.Receivers(); ok {
			var rows []string
			for row := range r.All() {
				name, _ := row.Type.Name()
				rows = append(rows, fmt.Sprintf("%s %d", name, row.Count.Load()))
			}
			slices.Sort(rows)
			lines = append(lines, fmt.Sprintf("%d: %v, others %d", e.Point(), rows, r.Other().Load()))
		}
	}
	return lines
}

// Example shows the life of an archive. A run learns and dumps, and the next run starts with that archive. The merge of
// both is the archive for later runs.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	first, second, next := filepath.Join(dir, "first.parc"), filepath.Join(dir, "second.parc"),
		filepath.Join(dir, "next.parc")

	for _, path := range []string{first, second} {
		program := Generate()
		vm, err := NewVM(program, first)
		answer := program.Round(vm, 500)
		fmt.Println("sum", answer, "by", vm.Slow, "slow instructions; began with an archive:", err == nil)
		_, err = vm.Dump(context.Background(), path)
		fmt.Println(err, vm.Close())
	}
	fmt.Println(sum(context.Background(), next, first, second))
	// Output:
	// sum 2033219 by 101117 slow instructions; began with an archive: false
	// <nil> <nil>
	// sum 2033219 by 0 slow instructions; began with an archive: true
	// <nil> <nil>
	// <nil>
}
