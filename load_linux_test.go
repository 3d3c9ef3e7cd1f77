package profarc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/fullfs"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"golang.org/x/sys/unix"
)

const (
	ofLoad   = "PROFARC_TEST_LOAD"
	loadTime = "PROFARC_LOAD"
)

func init() { runsOfTheirOwn[ofLoad] = carryLoad }

// TestLoad: 64 goroutines look functions up, bind types, count, read, copy, write checkpoints, and open, adopt, claim
// and close the archive again, while its pages are dropped from memory. Then the run is closed, its checkpoints are
// summed, and the next one begins with the sum. At the end all counts are exact, and no goroutine, descriptor or
// mapping is left. PROFARC_LOAD=10m goes on for so long, and logs how long each operation takes.
func TestLoad(t *testing.T) {
	full.Only(t, "counts on many threads for seconds")
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	load := exec.CommandContext(t.Context(), self)
	load.Env = append(os.Environ(), ofLoad+"="+dir)
	out, err := load.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if os.Getenv(loadTime) != "" {
		t.Logf("%s", out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	truth := counts{}
	if err == nil {
		err = json.Unmarshal(data, &truth)
	}
	if err != nil || len(truth) < loadFunctions {
		t.Fatal(len(truth), err)
	}
	want(t, read(t, filepath.Join(dir, "app.parc")), truth)
}

// A load is what the goroutines of the process share.
type load struct {
	dir, app string
	times    latencies

	mu    sync.Mutex
	truth counts
	errs  []error
}

const (
	loadFunctions = 100
	loadTypes     = 8
)

// carryLoad is the process of TestLoad.
func carryLoad(dir string) error {
	long, err := time.ParseDuration("1500ms")
	if text := os.Getenv(loadTime); text != "" {
		long, err = time.ParseDuration(text)
	}
	if err != nil {
		return err
	}
	l := &load{dir: dir, app: filepath.Join(dir, "app.parc"), truth: counts{}}
	resourcesInUse() // opens what Go opens once
	before, eras := resourcesInUse(), 0
	for begun := time.Now(); time.Since(begun) < long; eras++ {
		if err := l.era(eras, min(long/4, 10*time.Second)); err != nil {
			return fmt.Errorf("era %d: %w", eras, err)
		}
	}
	if err := checkNothingLeaks(before); err != nil {
		return err
	}
	data, err := json.Marshal(l.truth)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "truth.json"), data, 0o600)
	}
	fmt.Printf("%v: %d eras\n%s", long, eras, l.times.String())
	return err
}

// An era is one run of the VM.
type era struct {
	*load
	run   *profarc.Run
	files []string
}

// era begins a run, lets all goroutines work for a while, and writes the sum of what they counted.
func (l *load) era(number int, long time.Duration) error {
	r, err := profarc.Start(l.app, tinyVM)
	if err != nil && number > 0 {
		return err
	}
	e := &era{load: l, run: r, files: []string{l.app}}
	if number == 0 {
		e.files = nil
	}
	ctx, stop := context.WithTimeout(context.Background(), long)
	defer stop()
	var all sync.WaitGroup
	for role, n := range map[string]int{"count": 48, "read": 4, "copy": 4, "reopen": 6, "checkpoint": 1, "drop": 1} {
		for i := range n {
			random := rand.New(rand.NewPCG(uint64(number), uint64(i)))
			all.Go(func() { e.work(ctx, role, random, long) })
		}
	}
	all.Wait()
	if err := e.checkpoint(); err != nil {
		return err
	}
	if err := errors.Join(append(l.errs, l.times.note("close", r.Close))...); err != nil {
		return err
	}
	next := filepath.Join(l.dir, "next.parc")
	if err := sum(context.Background(), next, e.files...); err != nil {
		return err
	}
	for _, file := range e.files {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return os.Rename(next, l.app)
}

func (e *era) work(ctx context.Context, role string, random *rand.Rand, long time.Duration) {
	own := counts{}
	var err error
	for err == nil && ctx.Err() == nil {
		switch role {
		case "count":
			e.countOnce(random, own)
		case "read":
			err = e.readOnce(random)
		case "copy":
			err = e.copyOnce()
		case "reopen":
			err = e.reopen(random)
		case "checkpoint":
			time.Sleep(long / 20)
			err = e.checkpoint()
		case "drop":
			time.Sleep(2 * time.Millisecond)
			err = e.dropPages()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, n := range own {
		e.truth[key] += n
	}
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("%s: %w", role, err))
	}
}

// countOnce looks a function up, and counts in all of its words. It sees two types, which have a row each.
func (e *era) countOnce(random *rand.Rand, own counts) {
	i := random.IntN(loadFunctions)
	name, seen := fmt.Sprint("f", i), (i+random.IntN(2))%loadTypes
	var f *profarc.Function
	var typ *profarc.Type
	e.times.take("look up", func() { f = e.run.Function(layout.Key{Class: "Shapes", Name: name}, 1) })
	e.times.take("bind", func() { typ = e.run.Type(fmt.Sprint("Shape", seen)) })
	var taken *profarc.Word
	var receivers profarc.Receivers
	var words []*profarc.Word
	e.times.take("words", func() {
		taken, _ = f.Branch(branchPoint)
		receivers, words = f.Receivers(callPoint), f.Words(addPoint, operands.Tag)
	})
	e.times.take("count", func() { f.Calls().Count(1) })
	taken.Count(2)
	words[0].Count(3)
	e.times.take("record", func() { receivers.Record(typ) })
	own[name+"#1 calls"]++
	own[name+"#1 taken"] += 2
	own[name+"#1 seen"] += 3
	own[name+"#1 "+typ.Name()]++
}

// readOnce reads a profile of the archive while others count in it.
func (e *era) readOnce(random *rand.Rand) error {
	s := e.run.Store()
	if s == nil {
		time.Sleep(time.Millisecond)
		return nil
	}
	return e.times.note("read", func() error { return readProfileOf(s, random) })
}

func readProfileOf(s *reader.Store, random *rand.Rand) error {
	p, err := s.Profile(layout.Key{Class: "Shapes", Name: fmt.Sprint("f", random.IntN(loadFunctions))}, 1)
	if errors.Is(err, reader.ErrNotFound) {
		return nil // no earlier run called it
	}
	if err != nil {
		return err
	}
	if e, ok := p.At(callPoint); ok {
		r, _ := e.Receivers()
		for row := range r.All() {
			if _, err := row.Type.Name(); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyOnce takes a snapshot of what the archive has now.
func (e *era) copyOnce() error {
	s := e.run.Store()
	if s == nil {
		time.Sleep(time.Millisecond)
		return nil
	}
	return e.times.note("snapshot", func() error {
		b := builder.New(layout.DomainCustom, builder.Config{})
		lost, err := merge.Snapshot(context.Background(), b, s, merge.Totals)
		if err == nil && lost.Profiles+lost.Rows > 0 {
			err = fmt.Errorf("a snapshot lacks %v", lost)
		}
		return err
	})
}

// reopen opens, adopts and closes the archive, and counts in a profile of its own copy.
func (e *era) reopen(random *rand.Rand) error {
	var s *reader.Store
	err := e.times.note("open", func() (err error) {
		s, err = reader.Open(e.app, archive.Options{})
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		time.Sleep(time.Millisecond)
		return nil // the first run begins without one
	}
	if err != nil {
		return err
	}
	o := reader.AdoptOptions{Anywhere: random.IntN(2) == 0}
	if err := e.times.note("adopt", func() error { return s.Adopt(o) }); err != nil {
		return errors.Join(err, e.times.note("close", s.Close))
	}
	p, err := s.Profile(layout.Key{Class: "Shapes", Name: fmt.Sprint("f", random.IntN(loadFunctions))}, 1)
	if err == nil {
		var claimed reader.Profile
		if err = e.times.note("claim", func() (err error) { claimed, err = p.Claim(); return err }); err == nil {
			calls, _ := claimed.Invocations()
			err = calls.Add(1)
		}
	} else if errors.Is(err, reader.ErrNotFound) {
		err = nil
	}
	return errors.Join(err, e.times.note("close", s.Close))
}

func (e *era) checkpoint() error {
	path := filepath.Join(e.dir, fmt.Sprintf("%d.parc", len(e.files)))
	e.files = append(e.files, path)
	return e.times.note("checkpoint", func() error {
		lost, err := e.run.Checkpoint(context.Background(), path)
		if err == nil && lost.Profiles+lost.Rows > 0 {
			err = fmt.Errorf("a checkpoint lacks %v", lost)
		}
		return err
	})
}

// dropPages takes the pages of the archive out of memory, as the kernel does when memory is short: out of the run's
// mappings that only read, and out of the page cache. Pages that were counted in are the process's own, and stay. What
// others have opened stays too: it may be unmapped at any time, and something else mapped there.
func (e *era) dropPages() error {
	s := e.run.Store()
	if s == nil {
		return nil
	}
	view, err := (*mapped.Mapping)(s.Mapping()).Bytes(disk.RegionHeader, 0, 1)
	if err != nil {
		return err
	}
	adoption, _ := s.Adoption()
	for _, at := range []uint64{adoption.Base, uint64(reflect.ValueOf(view).Pointer())} {
		if err := dropMapping(at, e.app); err != nil {
			return err
		}
	}
	f, err := os.Open(e.app)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// dropMapping drops the pages of the mapping at an address.
func dropMapping(at uint64, path string) error {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		var flags string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &flags); err != nil {
			return err
		}
		if from <= at && at < to {
			if flags[:2] != "r-" || !strings.Contains(line, path) {
				return fmt.Errorf("the archive is not mapped for reading: %s", line)
			}
			if _, _, no := unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED); no != 0 {
				return no
			}
			return nil
		}
	}
	return fmt.Errorf("nothing is mapped at %#x", at)
}

// resources are what a process has.
type resources struct{ goroutines, descriptors, mappings, mappedArchives int }

func resourcesInUse() resources {
	descriptors, _ := os.ReadDir("/proc/self/fd")
	maps, _ := os.ReadFile("/proc/self/maps")
	return resources{runtime.NumGoroutine(), len(descriptors), strings.Count(string(maps), "\n"),
		strings.Count(string(maps), ".parc")}
}

// checkNothingLeaks compares what the process has with what it had. Go's own memory has some mappings more.
func checkNothingLeaks(before resources) error {
	const ofGo = 100
	var now resources
	for range 100 {
		runtime.GC() // mappings go when nothing leads to them
		now = resourcesInUse()
		if now.goroutines <= before.goroutines && now.descriptors <= before.descriptors && now.mappedArchives == 0 &&
			now.mappings <= before.mappings+ofGo {
			fmt.Printf("before %+v, after %+v\n", before, now)
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("something leaks: before %+v, after %+v", before, now)
}

// latencies has how long operations took, by their names.
type latencies struct{ of sync.Map }

// A histogram counts times in steps of an eighth of a power of two of nanoseconds.
type histogram struct {
	mu    sync.Mutex
	steps [64 * 8]uint64
	n     uint64
	most  time.Duration
}

func (l *latencies) take(name string, f func()) {
	begun := time.Now()
	f()
	took := time.Since(begun)
	found, ok := l.of.Load(name)
	if !ok {
		found, _ = l.of.LoadOrStore(name, &histogram{})
	}
	found.(*histogram).add(took)
}

func (l *latencies) note(name string, f func() error) (err error) {
	l.take(name, func() { err = f() })
	return err
}

func (h *histogram) add(took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	h.steps[stepOf(uint64(took))]++
	h.most = max(h.most, took)
}

func stepOf(ns uint64) int {
	n := max(4, bits.Len64(ns))
	return n*8 + int(ns>>(n-4)&7)
}

// quantile returns a time that a share of all did not exceed.
func (h *histogram) quantile(share float64) time.Duration {
	left := uint64(share * float64(h.n))
	for step, n := range h.steps {
		if left < n {
			return min(h.most, time.Duration(uint64(9+step%8)<<(step/8-4)))
		}
		left -= n
	}
	return h.most
}

func (l *latencies) String() string {
	all := map[string]*histogram{}
	l.of.Range(func(name, h any) bool {
		all[name.(string)] = h.(*histogram)
		return true
	})
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		h := all[name]
		fmt.Fprintf(&text, "%-10s %12d times, half %v, p99 %v, longest %v\n",
			name, h.n, h.quantile(0.5), h.quantile(0.99), h.most)
	}
	return text.String()
}

// onFull says that this process counts in an archive on a full file system.
const onFull = "PROFARC_TEST_FULL"

func init() { runsOfTheirOwn[onFull] = countOnFull }

// countOnFull counts in an archive on a full file system, can't write one there, and writes it beside.
func countOnFull(dir string) error {
	r, err := profarc.Start(filepath.Join(dir, "full", "app.parc"), tinyVM)
	if err != nil {
		return err
	}
	trainRun(r, 2, counts{})
	if _, err := r.Dump(context.Background(), filepath.Join(dir, "full", "app.parc")); !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("dump on a full file system: %w", err)
	}
	_, err = r.Dump(context.Background(), filepath.Join(dir, "beside.parc"))
	return err
}

// TestFileSystemIsFull: counting in an archive copies its pages, and needs no space on its file system. A dump that
// finds no space leaves the archive as it is, loses no count, and can be written elsewhere.
func TestFileSystemIsFull(t *testing.T) {
	t.Parallel()
	dir, truth := t.TempDir(), counts{}
	app := filepath.Join(dir, "app.parc")
	first := start(t, app)
	trainRun(first, 1, truth)
	if _, err := first.Dump(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := fullfs.Run(t, dir, []string{onFull + "=" + dir}, self); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	trainRun(first, 2, truth)
	maps.DeleteFunc(truth, func(_ string, n uint64) bool { return n == 0 })
	want(t, read(t, filepath.Join(dir, "beside.parc")), truth)
}
