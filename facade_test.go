package profarc_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// dump writes a dump and returns what it lacks.
func dump(t *testing.T, r *profarc.Run, path string) merge.Dropped {
	t.Helper()
	lost, err := r.Dump(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

// operandsOf returns the shape of operands with other cells.
func operandsOf(cells ...layout.CellShape) layout.EntryShape {
	s := operands
	s.Cells = cells
	return s
}

// TestStartComparesShapes: an archive with other cells under one tag, or another tag with one name, is refused. The run
// counts, and its dump replaces the archive.
func TestStartComparesShapes(t *testing.T) {
	t.Parallel()
	seen, largest := operands.Cells[0], operands.Cells[1]
	renamed, unit, tag := operands, operands, operands
	renamed.Name, unit.Unit, tag.Tag = "Sizes", layout.CountUnit(2), operands.Tag+1
	flags := layout.CellShape{Name: "marks", Kind: layout.CellBits, Bits: []string{"a"}}
	for name, shape := range map[string]layout.EntryShape{
		"another kind":     operandsOf(seen, layout.CellShape{Name: "largest", Kind: layout.CellMin}),
		"another cell":     operandsOf(seen, layout.CellShape{Name: "widest", Kind: layout.CellMax}),
		"cells swapped":    operandsOf(largest, seen),
		"a cell more":      operandsOf(seen, largest, flags),
		"a cell less":      operandsOf(seen),
		"another name":     renamed,
		"another unit":     unit,
		"another tag":      tag,
		"rows in addition": {Tag: operands.Tag, Name: operands.Name, Cells: operands.Cells, Rows: []layout.CellShape{seen}},
	} {
		path := filepath.Join(t.TempDir(), "app.parc")
		trained(t, path, operands)
		vm := tinyVM
		vm.Shapes = []layout.EntryShape{shape}
		r, err := profarc.Start(path, vm)
		if !errors.Is(err, layout.ErrIdentity) || r.Store() != nil || !strings.Contains(err.Error(), "draw a new VM.ID") ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := r.Function(layout.Key{Name: "g"}, 1)
		f.Calls().Count(2)
		f.Words(addPoint, shape.Tag)
		dump(t, r, path)
		again, err := profarc.Start(path, vm)
		if err != nil || again.Function(layout.Key{Name: "g"}, 1).Calls().Load() != 2 {
			t.Errorf("%s: the archive was not replaced: %v", name, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// trained writes an archive of a VM with shapes, in which the function f was called once.
func trained(t *testing.T, path string, shapes ...layout.EntryShape) {
	t.Helper()
	vm := tinyVM
	vm.Shapes = shapes
	r, err := profarc.Start(path, vm)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	f := r.Function(layout.Key{Name: "f"}, 1)
	f.Calls().Count(1)
	for _, s := range shapes {
		f.Words(addPoint, s.Tag)[0].Count(7)
	}
	dump(t, r, path)
}

// TestShapesMayBeAdded: a VM can gain and lose shapes, in any order. Entries of shapes that it has lost stay.
func TestShapesMayBeAdded(t *testing.T) {
	t.Parallel()
	more := layout.EntryShape{Tag: operands.Tag + 5, Name: "Lengths", Cells: operands.Cells}
	for name, shapes := range map[string][2][]layout.EntryShape{
		"more": {{operands}, {more, operands}}, "fewer": {{operands, more}, {more}}, "none": {{operands}, nil},
		"others": {{operands}, {more}}, "first": {nil, {operands}},
	} {
		path := filepath.Join(t.TempDir(), "app.parc")
		trained(t, path, shapes[0]...)
		vm := tinyVM
		vm.Shapes = shapes[1]
		for range 2 {
			r, err := profarc.Start(path, vm)
			if err != nil {
				t.Fatal(name, err)
			}
			for _, s := range shapes[1] {
				r.Function(layout.Key{Name: "f"}, 1).Words(addPoint, s.Tag)[0].Count(1)
			}
			dump(t, r, path)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		vm.Shapes = shapes[0]
		r, err := profarc.Start(path, vm)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, s := range shapes[0] {
			if n := r.Function(layout.Key{Name: "f"}, 1).Words(addPoint, s.Tag)[0].Load(); n < 7 {
				t.Errorf("%s: %d counts of %s, 7 were trained", name, n, s.Name)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMoreRows: a VM that tells more types apart than before gets the rows in the run after the next dump.
func TestMoreRows(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(r *profarc.Run, path string) error{
		"dump": func(r *profarc.Run, path string) error { _, err := r.Dump(t.Context(), path); return err },
		"checkpoint": func(r *profarc.Run, path string) error {
			_, err := r.Checkpoint(t.Context(), path+".more")
			if err == nil && r.Store() != nil {
				return sum(t.Context(), path, path, path+".more")
			}
			return errors.Join(err, os.Rename(path+".more", path))
		},
	} {
		path := filepath.Join(t.TempDir(), "app.parc")
		counted := uint64(0)
		for i, want := range []int{2, 2, 6, 6} {
			vm := tinyVM
			vm.Rows = []int{2, 8, 8, 2}[i]
			r, err := profarc.Start(path, vm)
			if err != nil && i > 0 {
				t.Fatal(err)
			}
			receivers := r.Function(layout.Key{Name: "f"}, 7).Receivers(callPoint)
			for k := range 6 {
				receivers.Record(r.Type(fmt.Sprint("T", k)))
				counted++
			}
			types, sum := 0, receivers.Others()
			for _, n := range receivers.All() {
				types++
				sum += n.Load()
			}
			if types != want || sum != counted {
				t.Errorf("%s, run %d: %d types, %d counts, want %d types and %d counts", name, i, types, sum, want, counted)
			}
			if err := errors.Join(write(r, path), r.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestOthersAreAllThatIsNotShown: a point that mostly saw types that are not loaded does not look monomorphic.
func TestOthersAreAllThatIsNotShown(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "draw"}
	first := start(t, path)
	receivers := first.Function(key, 1).Receivers(callPoint)
	for name, n := range map[string]int{"A": 1, "B": 999} {
		for range n {
			receivers.Record(first.Type(name))
		}
	}
	if receivers.Others() != 0 {
		t.Errorf("%d others, all types have rows", receivers.Others())
	}
	dump(t, first, path)
	r := start(t, path)
	receivers = r.Function(key, 1).Receivers(callPoint)
	if n := receivers.Others(); n != 1000 {
		t.Errorf("%d others before any type is loaded, want 1000", n)
	}
	receivers.Record(r.Type("A"))
	receivers.Record(r.Type("C")) // without a row
	shown := map[string]uint64{}
	for typ, n := range receivers.All() {
		shown[typ.Name()] = n.Load()
	}
	if !maps.Equal(shown, map[string]uint64{"A": 2}) || receivers.Others() != 1000 {
		t.Errorf("%v and %d others, want 2 of A and 1000", shown, receivers.Others())
	}
	r.Type("B")
	if n := receivers.Others(); n != 1 {
		t.Errorf("%d others, want 1 of C", n)
	}
}

// badKeys are keys that no archive can hold.
var badKeys = map[string]layout.Key{
	"NUL in the name":      {Class: "A", Name: "f\x00g"},
	"NUL in the class":     {Class: "\x00", Name: "f"},
	"NUL in the signature": {Class: "A", Name: "f", Signature: "(\x00)"},
	"NUL in the loader":    {Class: "A", Name: "f", Loader: "l\x00"},
	"a long name":          {Name: strings.Repeat("n", 1<<20+1)},
	"a long class":         {Class: strings.Repeat("n", 1<<20+1), Name: "f"},
	"a loader alone":       {Name: "f", Loader: "l"},
}

// TestBadKeysAreLeftOut: functions with keys that no archive can hold count in their run. Dumps and checkpoints name
// them, and have all others.
func TestBadKeysAreLeftOut(t *testing.T) {
	t.Parallel()
	for name, bad := range badKeys {
		for form, write := range writers {
			path := filepath.Join(t.TempDir(), "app.parc")
			for i := range uint64(2) {
				r := start(t, path)
				good, f := r.Function(layout.Key{Name: "good"}, 1), r.Function(bad, layout.CodeAny)
				good.Calls().Count(5)
				f.Calls().Count(3)
				taken, _ := f.Branch(branchPoint)
				taken.Count(2)
				f.Words(addPoint, operands.Tag)[1].Count(9)
				f.Receivers(callPoint).Record(r.Type("A"))
				to := fmt.Sprint(path, i)
				lost, err := write(r, t.Context(), to)
				if err != nil || lost.Profiles != 1 || len(lost.Lost) != 1 || lost.Lost[0].Method != bad ||
					!errors.Is(lost.Lost[0].Err, layout.ErrTooLarge) || f.Calls().Load() != 3 || len(lost.String()) > 500 {
					t.Fatalf("%s, %s: %d profiles lost, %v", form, name, lost.Profiles, err)
				}
				n := uint64(1)
				if form == "dump" {
					path, n = to, i+1
				}
				checkLoss(t, to, ledger.Totals{ledger.Invocations: 3 * n, ledger.BranchCounts: 2 * n, ledger.TypeCounts: n})
				want(t, read(t, to), counts{"good#1 calls": 5 * n})
			}
		}
	}
}

// writers are the ways to write a run.
var writers = map[string]func(r *profarc.Run, ctx context.Context, path string) (merge.Dropped, error){
	"dump": (*profarc.Run).Dump, "checkpoint": (*profarc.Run).Checkpoint}

// checkLoss checks the account of a sound archive: what its last dump has left out.
func checkLoss(t *testing.T, path string, want ledger.Totals) {
	t.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	report, err := verify.Store(t.Context(), s, nil)
	if err != nil || len(report.Problems) > 0 {
		t.Error(report.Problems, err)
	}
	a, err := archived.Account(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Lost(); !maps.Equal(got, want) {
		t.Errorf("lost %v, want %v: %+v", got, want, a.Losses)
	}
}

// TestBadTypesCountAsOthers: a type with a name that no archive can hold has a row in its run, and counts as another
// type in the archive.
func TestBadTypesCountAsOthers(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"T\x00", strings.Repeat("T", 1<<20+1)} {
		path := filepath.Join(t.TempDir(), "app.parc")
		for i := range uint64(3) {
			r := start(t, path)
			receivers := r.Function(layout.Key{Name: "f"}, 1).Receivers(callPoint)
			for range 4 {
				receivers.Record(r.Type(bad))
			}
			receivers.Record(r.Type("A"))
			total := receivers.Others()
			for _, n := range receivers.All() {
				total += n.Load()
			}
			if total != 5*(i+1) {
				t.Errorf("run %d: %d arrivals, want %d", i, total, 5*(i+1))
			}
			lost := dump(t, r, path)
			if i == 0 && (lost.Rows != 1 || len(lost.First) != 1 || lost.First[0].Point != callPoint) {
				t.Errorf("%d rows lost: %s", lost.Rows, lost)
			}
		}
		want(t, read(t, path), counts{"f#1 A": 3})
	}
}

// TestCodeAnyIsUnknown: no profile can have CodeAny.
func TestCodeAnyIsUnknown(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "f"}
	r := start(t, path)
	if f := r.Function(key, layout.CodeAny); f != r.Function(key, layout.CodeUnknown) {
		t.Error("CodeAny and CodeUnknown are two functions")
	}
	r.Function(key, layout.CodeAny).Calls().Count(3)
	dump(t, r, path)
	if n := start(t, path).Function(key, layout.CodeAny).Calls().Load(); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
}

// TestStartIn: the archives of several VMs share a folder. Each start marks its archive as used, and removes what was
// used last a long time ago.
func TestStartIn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache", "profiles")
	other := tinyVM
	other.ID[0]++
	for i := range uint64(3) {
		for _, vm := range []profarc.VM{tinyVM, other} {
			r, err := profarc.StartIn(dir, vm)
			if i > 0 && err != nil || i == 0 && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			calls := r.Function(layout.Key{Name: "f"}, 1).Calls()
			if calls.Load() != i {
				t.Errorf("%d calls, want %d", calls.Load(), i)
			}
			calls.Count(1)
			dump(t, r, "")
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	old, now := time.Now().Add(-31*24*time.Hour), time.Now()
	own, others := fmt.Sprintf("%x.parc", tiny), fmt.Sprintf("%x.parc", other.ID)
	recent := strings.Repeat("0a", 16) + ".parc"
	for name, at := range map[string]time.Time{
		own: old, others: old, recent: now.Add(-29 * 24 * time.Hour), "app.parc": old,
		".profarc-01234567-0123456789abcdef.tmp": old, ".profarc-01234567-0123456789abcdee.tmp": now,
		strings.Repeat("0A", 16) + ".parc": old, strings.Repeat("0", 31) + ".parc": old,
	} {
		path := filepath.Join(dir, name)
		if name != own && name != others {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	r, err := profarc.StartIn(dir, tinyVM)
	if err != nil || r.Close() != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, own))
	if err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("the archive was not marked as used: %v", err)
	}
	for name, stays := range map[string]bool{others: false, recent: true, "app.parc": true,
		".profarc-01234567-0123456789abcdef.tmp": false, ".profarc-01234567-0123456789abcdee.tmp": true,
		strings.Repeat("0A", 16) + ".parc": true, strings.Repeat("0", 31) + ".parc": true} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v, stays: %t", name, err, stays)
		}
	}
	file := filepath.Join(dir, own)
	if r, err := profarc.StartIn(file, tinyVM); err == nil || errors.Is(err, fs.ErrNotExist) || r == nil {
		t.Errorf("a file as the folder: %v", err)
	}
}

// TestDumpKeepsArchivesOfOthers: a dump replaces no sound archive of another VM.
func TestDumpKeepsArchivesOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, b := range map[string]*builder.Builder{
		"another VM":     builder.New(domain, builder.Config{ProducerID: [16]byte{1}}),
		"another domain": builder.New(layout.DomainHotSpot, builder.Config{}),
	} {
		for form, write := range writers {
			path := filepath.Join(dir, "foreign.parc")
			if _, err := b.Commit(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := profarc.Start(path, tinyVM)
			if !errors.Is(err, layout.ErrIdentity) {
				t.Fatal(err)
			}
			r.Function(layout.Key{Name: "f"}, 1).Calls().Count(4)
			_, err = write(r, t.Context(), path)
			if after, _ := os.ReadFile(path); !errors.Is(err, layout.ErrIdentity) || string(after) != string(before) {
				t.Errorf("%s, %s: %v", form, name, err)
			}
			elsewhere := filepath.Join(dir, "elsewhere.parc")
			if _, err := write(r, t.Context(), elsewhere); err != nil {
				t.Error(err)
			}
			want(t, read(t, elsewhere), counts{"f#1 calls": 4})
			if err := os.WriteFile(path, before[:len(before)-8], 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := write(r, t.Context(), path); err != nil {
				t.Errorf("%s, %s: a damaged file: %v", form, name, err)
			}
		}
	}
}

// TestExtremesAreKept: any point, key of bytes and number comes back.
func TestExtremesAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.parc")
	longest := strings.Repeat("n", 1<<20)
	keys := []layout.Key{{}, {Name: "\xff\xfe\n\t"}, {Class: "A"},
		{Class: longest, Name: longest, Signature: longest, Loader: longest}}
	for round := range uint64(2) {
		r := start(t, path)
		for _, key := range keys {
			for _, code := range []uint64{0, 1, math.MaxUint64 - 1} {
				f := r.Function(key, code)
				for _, point := range []int32{math.MinInt32, -1, 0, math.MaxInt32} {
					taken, notTaken := f.Branch(point)
					words, receivers := f.Words(point, operands.Tag), f.Receivers(point)
					for _, w := range []*profarc.Word{taken, notTaken, words[0], words[1]} {
						if w.Load() != round*5 {
							t.Fatalf("%d at %d of code %d, want %d", w.Load(), point, code, round*5)
						}
						w.Count(5)
					}
					receivers.Record(r.Type(""))
					receivers.Record(r.Type(longest))
					if n := receivers.Others(); n != 0 {
						t.Errorf("%d others", n)
					}
				}
			}
		}
		if lost := dump(t, r, path); lost.Profiles+lost.Rows > 0 {
			t.Error(lost)
		}
	}
}

// TestDumpWithoutAPath: a dump goes to the archive of the start, also after the program has changed its directory. A
// checkpoint does not, since it would replace the counts of earlier runs.
func TestDumpWithoutAPath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	r, dumps := start(t, "app.parc"), start(t, "")
	r.Function(layout.Key{Name: "f"}, 1).Calls().Count(3)
	t.Chdir(t.TempDir())
	if lost, err := dumps.Dump(t.Context(), ""); err == nil {
		t.Error("a dump without any path", lost)
	}
	dump(t, r, "")
	path := filepath.Join(dir, "app.parc")
	want(t, read(t, path), counts{"f#1 calls": 3})
	if lost, err := start(t, path).Checkpoint(t.Context(), ""); err == nil {
		t.Error("a checkpoint without a path", lost)
	}
	want(t, read(t, path), counts{"f#1 calls": 3})
}
