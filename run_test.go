package profarc_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

const domain = layout.DomainCustom

// tiny tells archives of this VM from all others: 16 bytes that were drawn once.
var tiny = [16]byte{0xb1, 0x5e, 0x07, 0x9a, 0x2c, 0x44, 0x4d, 0x18, 0xa9, 0x73, 0x0e, 0x5f, 0xc6, 0x81, 0x3d, 0x92}

func sum(ctx context.Context, to string, dumps ...string) error {
	b := builder.New(domain, builder.Config{}) // the producer is the first archive's
	for _, path := range dumps {
		s, err := reader.Open(path, archive.Options{Heap: true})
		if err != nil {
			return err
		}
		err = errors.Join(merge.Into(ctx, b, s, merge.Run{}), s.Close())
		if err != nil {
			return err
		}
	}
	_, err := b.Commit(ctx, to)
	return err
}

// TestTotalsAreNotSummedWithWhatTheyContain: the mistake that dumps of package profarc prevent is an error.
func TestTotalsAreNotSummedWithWhatTheyContain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app, live := filepath.Join(dir, "app.parc"), filepath.Join(dir, "live.parc")
	for _, path := range []string{app, live} {
		r := start(t, app)
		trainRun(r, 1, counts{})
		if _, err := r.Dump(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	if err := sum(t.Context(), filepath.Join(dir, "twice.parc"), app, live); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("an archive and its totals were summed: %v", err)
	}
}

// TestTotalsWithoutADescription: why dumps describe their run. Nothing else tells that totals contain the archive
// that they began with.
func TestTotalsWithoutADescription(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app, live := filepath.Join(dir, "app.parc"), filepath.Join(dir, "live.parc")
	for i, path := range []string{app, live} {
		b := builder.New(domain, builder.Config{ProducerID: tiny, DumpID: [16]byte{byte(i)}})
		p := b.Profile(layout.Key{Name: fmt.Sprint("f", i)}, 1)
		p.Invocations(5)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if _, err := merge.Snapshot(t.Context(), b, adopted(t, app), merge.Totals); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Commit(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	if err := sum(t.Context(), filepath.Join(dir, "twice.parc"), app, live); err != nil {
		t.Errorf("it is told after all, so that the pages can say less: %v", err)
	}
}

func adopted(t *testing.T, path string) *reader.Store {
	t.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// operands are the entries of an instruction that notes how large its operands are.
var operands = layout.EntryShape{Tag: layout.TagProducer, Name: "Operands", Cells: []layout.CellShape{
	{Name: "seen", Kind: layout.CellCount}, {Name: "largest", Kind: layout.CellMax}}}

var tinyVM = profarc.VM{ID: tiny, Name: "tiny VM 1", Shapes: []layout.EntryShape{operands}, Rows: 2}

// The points of each function of the tests below.
const (
	branchPoint = 70_000 // beyond what HotSpot's entries can name
	callPoint   = 3
	addPoint    = 9
)

// counts has what was counted by function, point and outcome.
type counts map[string]uint64

// trainRun calls functions of a run at random, and notes what it counted.
func trainRun(r *profarc.Run, seed uint64, truth counts) {
	random := rand.New(rand.NewPCG(seed, 0))
	types := []*profarc.Type{r.Type("Circle"), r.Type("Square"), r.Type("Line")}
	for i := range 6 {
		if random.IntN(3) == 0 {
			continue // others are not used in this run
		}
		name, code := fmt.Sprint("f", i), uint64(1)
		if i == 5 {
			code += seed / 4 // its code changes
		}
		f := r.Function(layout.Key{Class: "Shapes", Name: name}, code)
		callAtRandom(f, types, random, func(outcome string, n uint64) {
			truth[fmt.Sprint(name, "#", code, " ", outcome)] += n
		})
	}
}

func callAtRandom(f *profarc.Function, types []*profarc.Type, random *rand.Rand, note func(outcome string, n uint64)) {
	taken, notTaken := f.Branch(branchPoint)
	receivers, seen := f.Receivers(callPoint), f.Words(addPoint, operands.Tag)[0]
	for range random.IntN(50) + 1 {
		f.Calls().Count1()
		note("calls", 1)
		if random.IntN(4) > 0 {
			taken.Count1()
			note("taken", 1)
		} else {
			notTaken.Count(2)
			note("not taken", 2)
		}
		t := types[random.IntN(2)]
		receivers.Record(t)
		note(t.Name(), 1)
		seen.Count(1)
		note("seen", 1)
	}
}

// read returns all counts of an archive.
func read(t *testing.T, path string) counts {
	t.Helper()
	s, err := reader.Open(path, archive.Options{Heap: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found := counts{}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		name, _ := m.Name()
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			readProfile(t, p, fmt.Sprint(name, "#", p.Code()), found)
		}
	}
	maps.DeleteFunc(found, func(_ string, n uint64) bool { return n == 0 })
	return found
}

func readProfile(t *testing.T, p reader.Profile, name string, found counts) {
	t.Helper()
	calls, _ := p.Invocations()
	found[name+" calls"] = calls.Load()
	if e, ok := p.At(branchPoint); ok {
		found[name+" taken"], found[name+" not taken"] = e.Cell(1).Load(), e.Cell(3).Load()
	}
	if e, ok := p.At(addPoint); ok {
		found[name+" seen"] = e.Cell(0).Load()
	}
	if e, ok := p.At(callPoint); ok {
		receivers, _ := e.Receivers()
		for row := range receivers.All() {
			typ, err := row.Type.Name()
			if err != nil {
				t.Fatal(err)
			}
			found[name+" "+typ.String()] = row.Count.Load()
		}
	}
}

func want(t *testing.T, got, want counts) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("counts\n%v, want\n%v", got, want)
	}
}

func start(t *testing.T, path string) *profarc.Run {
	t.Helper()
	r, err := profarc.Start(path, tinyVM)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestRunsAddUp: each of seven runs begins with the file of the run before, and replaces it.
func TestRunsAddUp(t *testing.T) {
	t.Parallel()
	path, truth := filepath.Join(t.TempDir(), "app.parc"), counts{}
	for seed := range uint64(7) {
		r, err := profarc.Start(path, tinyVM)
		if err != nil && !(seed == 0 && errors.Is(err, fs.ErrNotExist)) {
			t.Fatal(err)
		}
		trainRun(r, seed, truth)
		if lost, err := r.Dump(t.Context(), path); err != nil || lost.Profiles+lost.Rows > 0 {
			t.Fatal(lost, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		want(t, read(t, path), truth)
	}
}

// TestCheckpointsAddUp: the archive and the checkpoints of two runs have what all have counted. One that is lost takes
// along its own counts, one that could not be written none.
func TestCheckpointsAddUp(t *testing.T) {
	t.Parallel()
	dir, truth := t.TempDir(), counts{}
	app := filepath.Join(dir, "app.parc")
	first := start(t, app)
	trainRun(first, 1, truth)
	if _, err := first.Checkpoint(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	files := []string{app}
	for run := range uint64(2) {
		r := start(t, app)
		for i := range uint64(5) {
			counted, path := counts{}, filepath.Join(dir, fmt.Sprintf("run-%d-%d.parc", run, i))
			trainRun(r, 10*run+i, counted)
			if _, err := r.Checkpoint(t.Context(), filepath.Join(dir, "none", "x.parc")); err == nil {
				t.Fatal("a checkpoint was written into a directory that does not exist")
			}
			if _, err := r.Checkpoint(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			if i == 2 {
				continue // it is lost
			}
			files = append(files, path)
			for key, n := range counted {
				truth[key] += n
			}
		}
	}
	rand.Shuffle(len(files), func(i, k int) { files[i], files[k] = files[k], files[i] })
	all := filepath.Join(dir, "all.parc")
	if err := sum(t.Context(), all, files...); err != nil {
		t.Fatal(err)
	}
	want(t, read(t, all), truth)
	if err := sum(t.Context(), filepath.Join(dir, "twice.parc"), all, files[0]); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("a checkpoint was summed twice: %v", err)
	}
}

// TestCheckpointsWhileOthersCount: what goroutines count while checkpoints are written is in one of them, once.
func TestCheckpointsWhileOthersCount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app := filepath.Join(dir, "app.parc")
	first := start(t, app)
	trainRun(first, 1, counts{})
	if _, err := first.Dump(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	r := start(t, app)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var counting sync.WaitGroup
	counted := make([]uint64, 4)
	for i := range counted {
		f := r.Function(layout.Key{Class: "Shapes", Name: fmt.Sprint("f", i)}, 1)
		counting.Go(func() {
			for taken, _ := f.Branch(branchPoint); ctx.Err() == nil; counted[i]++ {
				taken.Count1() // one goroutine for each word
			}
		})
	}
	files := make([]string, 20)
	for i := range files {
		files[i] = filepath.Join(dir, fmt.Sprintf("%d.parc", i))
		if i == len(files)-1 {
			stop()
			counting.Wait()
		}
		if _, err := r.Checkpoint(t.Context(), files[i]); err != nil {
			t.Fatal(err)
		}
	}
	all := filepath.Join(dir, "all.parc")
	if err := sum(t.Context(), all, files...); err != nil {
		t.Fatal(err)
	}
	found := read(t, all)
	for i, n := range counted {
		if got := found[fmt.Sprintf("f%d#1 taken", i)]; got != n {
			t.Errorf("f%d: %d counted in checkpoints, %d in all", i, got, n)
		}
	}
}

// TestFunctionOfTwoPlaces: a function that the archive has without one of its points has the sum of both.
func TestFunctionOfTwoPlaces(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "grown"}
	first := start(t, path)
	first.Function(key, 1).Calls().Count(5)
	if _, err := first.Dump(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	second := start(t, path)
	f := second.Function(key, 1)
	if _, ok := f.Trained(); !ok || f != second.Function(key, 1) {
		t.Error("the function is not the archive's, or not always the same")
	}
	taken, _ := f.Branch(branchPoint)
	taken.Count(7)
	f.Calls().Count(1)
	if _, err := second.Dump(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	want(t, read(t, path), counts{"grown#1 calls": 6, "grown#1 taken": 7})
}

// TestOtherCodeIsNotUsed: a function whose code has changed counts by itself, beside the old version.
func TestOtherCodeIsNotUsed(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "f"}
	first := start(t, path)
	first.Function(key, profarc.CodeID([]byte("old"))).Calls().Count(5)
	if _, err := first.Dump(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	f := start(t, path).Function(key, profarc.CodeID([]byte("new")))
	if _, ok := f.Trained(); ok || f.Calls().Load() != 0 {
		t.Errorf("the profile of other code is used: %d calls", f.Calls().Load())
	}
}

// TestNewestVersionOfDumps: of several versions of a function, a merge keeps the one that ran last, whatever their ids.
func TestNewestVersionOfDumps(t *testing.T) {
	t.Parallel()
	for _, codes := range [][]uint64{{8, 8, 7}, {7, 8, 8}, {7, 8, 7}, {9, 7, 8}} {
		path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "f"}
		for _, code := range codes {
			r := start(t, path)
			r.Function(key, code).Calls().Count(10)
			if _, err := r.Dump(t.Context(), path); err != nil {
				t.Fatal(err)
			}
		}
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		b := builder.New(layout.DomainCustom, builder.ConfigOf(s.Header()))
		if err := merge.Into(t.Context(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := merge.KeepNewest(t.Context(), b); err != nil {
			t.Fatal(codes, err)
		}
		kept, err := b.Open("kept")
		if err != nil {
			t.Fatal(err)
		}
		m, err := kept.Find(key)
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			if p.Code() != codes[2] {
				t.Errorf("of %v, %d is kept", codes, p.Code())
			}
		}
	}
}

// TestReceiversOfTraining: what the archive has of a class is seen once the class is loaded.
func TestReceiversOfTraining(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "draw"}
	first := start(t, path)
	for _, name := range []string{"Circle", "Circle", "Square", "Line"} {
		first.Function(key, 1).Receivers(callPoint).Record(first.Type(name))
	}
	if _, err := first.Dump(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	r := start(t, path)
	receivers := r.Function(key, 1).Receivers(callPoint)
	for range receivers.All() {
		t.Error("a class is seen that is not loaded")
	}
	circle := r.Type("Circle")
	receivers.Record(circle)
	receivers.Record(r.Type("Star"))
	found := map[string]uint64{}
	for typ, n := range receivers.All() {
		found[typ.Name()] = n.Load()
	}
	if !maps.Equal(found, map[string]uint64{"Circle": 3}) || receivers.Others() != 3 {
		t.Errorf("receivers %v and %d others, want 3 circles and 3 others", found, receivers.Others())
	}
}

// TestStartSaysWhyThereIsNoArchive: the run counts all the same.
func TestStartSaysWhyThereIsNoArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign, broken := filepath.Join(dir, "foreign.parc"), filepath.Join(dir, "broken.parc")
	b := builder.New(layout.DomainCustom, builder.Config{ProducerID: [16]byte{1}})
	if _, err := b.Commit(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]error{filepath.Join(dir, "none.parc"): fs.ErrNotExist,
		foreign: layout.ErrIdentity, broken: layout.ErrFormat} {
		r, err := profarc.Start(path, tinyVM)
		if !errors.Is(err, reason) || r == nil || r.Store() != nil {
			t.Errorf("%s: run %v, %v, want %v", path, r, err, reason)
			continue
		}
		r.Function(layout.Key{Name: "f"}, 1).Calls().Count1()
		if path == foreign {
			path = filepath.Join(dir, "own.parc")
		}
		if _, err := r.Dump(t.Context(), path); err != nil || r.Close() != nil {
			t.Error(err)
		}
		want(t, read(t, path), counts{"f#1 calls": 1})
	}
}

// TestMistakesOfTheVM: they are told at the start, and nothing is written.
func TestMistakesOfTheVM(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.parc")
	for name, vm := range map[string]profarc.VM{"no ID": {Name: "x"}, "too many rows": {ID: tiny, Rows: 65},
		"a tag of the format": {ID: tiny, Shapes: []layout.EntryShape{{Tag: layout.TagCount, Name: "Mine",
			Cells: operands.Cells}}}} {
		r, err := profarc.Start(path, vm)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		r.Function(layout.Key{Name: "f"}, 1).Calls().Count1()
		if _, dumped := r.Dump(t.Context(), path); dumped == nil || dumped.Error() != err.Error() {
			t.Errorf("%s: Dump: %v, Start: %v", name, dumped, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("words of a shape that was not declared")
		}
	}()
	start(t, path).Function(layout.Key{Name: "f"}, 1).Words(1, operands.Tag+1)
}

// TestDumpsAndCheckpointsAreNotMixed: a merge could not tell that they count the same.
func TestDumpsAndCheckpointsAreNotMixed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dumps, checkpoints := start(t, filepath.Join(dir, "1")), start(t, filepath.Join(dir, "2"))
	_, dumped := dumps.Dump(t.Context(), filepath.Join(dir, "dump"))
	_, again := dumps.Dump(t.Context(), filepath.Join(dir, "dump"))
	_, written := checkpoints.Checkpoint(t.Context(), filepath.Join(dir, "checkpoint"))
	if err := errors.Join(dumped, again, written); err != nil {
		t.Fatal(err)
	}
	_, mixed := dumps.Checkpoint(t.Context(), filepath.Join(dir, "mixed"))
	_, dumped = checkpoints.Dump(t.Context(), filepath.Join(dir, "mixed"))
	if !errors.Is(mixed, profarc.ErrMixed) || !errors.Is(dumped, profarc.ErrMixed) {
		t.Errorf("a checkpoint after a dump: %v, a dump after a checkpoint: %v", mixed, dumped)
	}
}

// TestCountsOfSeveralGoroutines: Count loses nothing; Count1 has at most what was counted.
func TestCountsOfSeveralGoroutines(t *testing.T) {
	t.Parallel()
	const goroutines, each = 4, 1_000_000
	f := start(t, filepath.Join(t.TempDir(), "none")).Function(layout.Key{Name: "f"}, 1)
	var counting sync.WaitGroup
	begin := make(chan struct{})
	for range goroutines {
		counting.Go(func() {
			<-begin
			calls, backedges := f.Calls(), f.Backedges()
			for range each {
				calls.Count(1)
			}
			for range each {
				backedges.Count1()
			}
		})
	}
	close(begin)
	counting.Wait()
	if n := f.Calls().Load(); n != goroutines*each {
		t.Errorf("%d calls, want %d", n, goroutines*each)
	}
	if n := f.Backedges().Load(); n == 0 || n > goroutines*each {
		t.Errorf("%d backedges, want 1 to %d", n, goroutines*each)
	}
	t.Logf("Count1 kept %.1f %% of what %d goroutines counted at once",
		100*float64(f.Backedges().Load())/(goroutines*each), goroutines)
}
