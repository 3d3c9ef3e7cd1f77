package profarc_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// useAndRelease counts in functions of a run, and releases half of them, some of which it asks for again.
func useAndRelease(r *profarc.Run, random *rand.Rand, truth counts) {
	types := []*profarc.Type{r.Type("Circle"), r.Type("Square"), r.Type("Line")}
	for range 30 {
		name := fmt.Sprint("f", random.IntN(9))
		f := r.Function(layout.Key{Class: "Eval", Name: name}, 7)
		callAtRandom(f, types, random, func(outcome string, n uint64) { truth[name+"#7 "+outcome] += n })
		if random.IntN(2) == 0 {
			f.Release()
			f.Release() // does nothing
		}
	}
}

// TestReleasedFunctionsContinue: releasing functions changes no count of a dump or of checkpoints.
func TestReleasedFunctionsContinue(t *testing.T) {
	t.Parallel()
	dir, truth, random := t.TempDir(), counts{}, rand.New(rand.NewPCG(1, 2))
	app := filepath.Join(dir, "app.parc")
	for range 3 {
		r := start(t, app)
		for range 2 {
			useAndRelease(r, random, truth)
			dump(t, r, app)
			want(t, read(t, app), truth)
		}
	}
	files := []string{app}
	r := start(t, app)
	for i := range 4 {
		useAndRelease(r, random, truth)
		files = append(files, fmt.Sprint(app, i))
		if _, err := r.Checkpoint(t.Context(), files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := sum(t.Context(), filepath.Join(dir, "all"), files...); err != nil {
		t.Fatal(err)
	}
	want(t, read(t, filepath.Join(dir, "all")), truth)
}

// TestReleasedFunctionContinuesItsWords: the words of a function that is asked for again have its counts.
func TestReleasedFunctionContinuesItsWords(t *testing.T) {
	t.Parallel()
	r := start(t, filepath.Join(t.TempDir(), "none"))
	f := r.Function(layout.Key{Name: "f"}, 1)
	_, notTaken := f.Branch(-3)
	notTaken.Count(1 << 40)
	f.Words(addPoint, operands.Tag)[1].Count(9)
	f.Deopts(4, 2).Count(3)
	late := f.Calls()
	f.Release()
	late.Count(1) // is lost
	again := r.Function(layout.Key{Name: "f"}, 1)
	if _, n := again.Branch(-3); n.Load() != 1<<40 || again == f {
		t.Errorf("%d branches of the function asked for again", n.Load())
	}
	if n := again.Words(addPoint, operands.Tag)[1].Load(); n != 9 {
		t.Errorf("%d in the word of a shape", n)
	}
	if n, calls := again.Deopts(4, 2).Load(), again.Calls().Load(); n != 3 || calls != 0 {
		t.Errorf("%d deoptimizations and %d calls", n, calls)
	}
}

// TestReleaseWhileCheckpointsAreWritten: goroutines release functions and ask for them again while checkpoints are
// written. Each count is in one checkpoint.
func TestReleaseWhileCheckpointsAreWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, filepath.Join(dir, "none"))
	const workers, rounds = 3, 400
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range rounds {
				f := r.Function(layout.Key{Name: fmt.Sprint("f", w, i%7)}, 1)
				f.Calls().Count(1)
				f.Release()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	files := []string{}
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		files = append(files, filepath.Join(dir, fmt.Sprint(len(files))))
		if _, err := r.Checkpoint(t.Context(), files[len(files)-1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := sum(t.Context(), filepath.Join(dir, "all"), files...); err != nil {
		t.Fatal(err)
	}
	total := uint64(0)
	for _, n := range read(t, filepath.Join(dir, "all")) {
		total += n
	}
	if total != workers*rounds {
		t.Errorf("%d calls in %d checkpoints, want %d", total, len(files), workers*rounds)
	}
}

// mostPerReleased is the number of bytes of memory that a released function with a few points may need.
const mostPerReleased = 150

// TestReleasedFunctionsNeedLittleMemory: every tenth function stays in use, so that their memory lies between that of
// released ones.
func TestReleasedFunctionsNeedLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it sets up many functions")
	}
	r := start(t, filepath.Join(t.TempDir(), "none"))
	const n = 50_000
	setUp := func(i int) *profarc.Function {
		f := r.Function(layout.Key{Class: "module", Name: fmt.Sprint("anonymous", i)}, uint64(i)*0x9e3779b97f4a7c15+1)
		taken, _ := f.Branch(3)
		taken.Count(uint64(i))
		f.Calls().Count(1)
		f.Receivers(9).Record(r.Type("A"))
		return f
	}
	for i := range n / 10 {
		setUp(i)
	}
	before := heapBytes()
	for i := n / 10; i < n/10+n; i++ {
		setUp(i).Release()
	}
	per := (heapBytes() - before) / n
	t.Logf("%d bytes for each released function", per)
	if per > mostPerReleased {
		t.Errorf("a released function needs %d bytes, more than %d", per, mostPerReleased)
	}
	runtime.KeepAlive(r)
}

func heapBytes() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// codesOf returns the codes of a function's profiles in an archive.
func codesOf(t *testing.T, path string, key layout.Key) (codes []uint64) {
	t.Helper()
	s, err := reader.Open(path, archive.Options{Heap: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := s.Find(key)
	if err != nil {
		t.Fatal(err)
	}
	for p := range m.Profiles() {
		codes = append(codes, p.Code())
	}
	slices.Sort(codes)
	return codes
}

// wantBalance checks that the archive's inputs are its counts and its losses.
func wantBalance(t *testing.T, path string) (lost uint64) {
	t.Helper()
	s, err := reader.Open(path, archive.Options{Heap: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := archived.Account(s)
	if err != nil {
		t.Fatal(err)
	}
	out, err := archived.Totals(s)
	if err != nil {
		t.Fatal(err)
	}
	if left := a.Residual(out); len(left) > 0 || len(a.Inputs) == 0 {
		t.Errorf("the account with %d inputs does not balance: %v", len(a.Inputs), left)
	}
	for _, l := range a.Losses {
		if l.Operation != "dump" || l.Reason == "unaccounted" {
			t.Errorf("loss %+v", l)
		}
	}
	lost = a.Lost()["invocations"]
	if in := a.Totals()["invocations"]; in != out["invocations"]+lost {
		t.Errorf("%d invocations in, %d out, %d lost", in, out["invocations"], lost)
	}
	return lost
}

// TestVersionsAreBounded: an eval has a new code id in each run, many times. The archive stops growing, and its account
// names what it lacks.
func TestVersionsAreBounded(t *testing.T) {
	t.Parallel()
	for _, release := range []bool{false, true} {
		path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "eval"}
		sizes := []int64{}
		code := uint64(0)
		for range 12 {
			r := start(t, path)
			r.Function(layout.Key{Name: "main"}, 1).Calls().Count(1)
			for range 300 {
				code++
				f := r.Function(key, code)
				f.Calls().Count(1 + code%5)
				if release {
					f.Release()
				}
			}
			dump(t, r, path)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, info.Size())
			if codes := codesOf(t, path, key); len(codes) != 8 || codes[0] != code-36 || codes[7] != code-1 {
				t.Fatalf("run with codes up to %d: %d are kept", code, codes)
			}
			if kept := read(t, path)["main#1 calls"]; kept != uint64(len(sizes)) {
				t.Errorf("%d calls of main", kept)
			}
		}
		if lost := wantBalance(t, path); lost != 12*300*3-8*5 {
			t.Errorf("%d calls are named as lost", lost)
		}
		if sizes[11] > sizes[3]+8*rowOfRun {
			t.Errorf("release %v: the archive grows: %d bytes", release, sizes)
		}
	}
}

// rowOfRun is the number of bytes by which an archive describes one run more.
const rowOfRun = 160

// TestLastVersionBeatsHeavierOnes: the version that ran last is kept, also by later runs that do not use it.
func TestLastVersionBeatsHeavierOnes(t *testing.T) {
	t.Parallel()
	path, key := filepath.Join(t.TempDir(), "app.parc"), layout.Key{Name: "f"}
	vm := tinyVM
	vm.Versions = 2
	for _, use := range []struct{ code, calls, other uint64 }{
		{8, 1000, 0}, {9, 2000, 0}, {7, 10, 0}, {0, 0, 1}, {0, 0, 1}} {
		r, err := profarc.Start(path, vm)
		if r == nil {
			t.Fatal(err)
		}
		if use.code > 0 {
			r.Function(key, use.code).Calls().Count(use.calls)
		}
		r.Function(layout.Key{Name: "g"}, 1).Calls().Count(use.other)
		dump(t, r, path)
		dump(t, r, path) // the first one claims nothing for the second
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if codes := codesOf(t, path, key); !slices.Equal(codes, []uint64{7, 9}) {
		t.Errorf("versions %d are kept", codes)
	}
	wantBalance(t, path)
	r, err := profarc.Start(path, vm)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for code := range uint64(5) {
		r.Function(key, 20+code).Calls().Count(5 - code)
	}
	if _, err := r.Checkpoint(t.Context(), path+".1"); err != nil {
		t.Fatal(err)
	}
	if codes := codesOf(t, path+".1", key); !slices.Equal(codes, []uint64{20, 21}) {
		t.Errorf("versions %d are in the checkpoint", codes)
	}
	if lost := wantBalance(t, path+".1"); lost != 6 {
		t.Errorf("the checkpoint lost %d calls", lost)
	}
}

// TestCheckpointHasWhatWasTouched: its size depends on the touched functions, in the archive or not.
func TestCheckpointHasWhatWasTouched(t *testing.T) {
	t.Parallel()
	dir, truth := t.TempDir(), counts{}
	app := filepath.Join(dir, "app.parc")
	setUp := func(r *profarc.Run, from, to, n int) {
		for i := from; i < to; i++ {
			f := r.Function(layout.Key{Class: fmt.Sprint("module", i/50), Name: fmt.Sprint("function", i)}, 1)
			taken, _ := f.Branch(branchPoint)
			receivers := f.Receivers(callPoint)
			if i < n {
				receivers.Record(r.Type(fmt.Sprint("T", i)))
				taken.Count(2)
				truth[fmt.Sprintf("function%d#1 taken", i)] += 2
				truth[fmt.Sprintf("function%d#1 T%d", i, i)]++
			}
		}
	}
	first := start(t, app)
	setUp(first, 0, 2000, 2000)
	dump(t, first, app)
	r := start(t, app)
	setUp(r, 0, 2000, 0)
	setUp(r, 2000, 4000, 0)
	sizes := []int64{}
	files := []string{app}
	for i := range 3 {
		setUp(r, 0, 50, 50)
		setUp(r, 2000, 2050, 2050)
		files = append(files, fmt.Sprint(app, i))
		if _, err := r.Checkpoint(t.Context(), files[i+1]); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(files[i+1])
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	alone := start(t, filepath.Join(dir, "alone.parc"))
	setUp(alone, 0, 50, 0)
	setUp(alone, 2000, 2050, 0)
	dump(t, alone, filepath.Join(dir, "alone.parc"))
	info, err := os.Stat(filepath.Join(dir, "alone.parc"))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Max(sizes) > 2*info.Size() {
		t.Errorf("checkpoints of 100 functions have %d bytes, their profiles alone %d", sizes, info.Size())
	}
	if err := sum(t.Context(), filepath.Join(dir, "all"), files...); err != nil {
		t.Fatal(err)
	}
	want(t, read(t, filepath.Join(dir, "all")), truth)
}
