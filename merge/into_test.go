package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/memstore"
	"github.com/profarc/profarc/internal/specimen"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"pgregory.net/rapid"
)

func sameArchive(t *rapid.T, what string, x, y testarchive.Archive) {
	t.Helper()
	if !bytes.Equal(x.Bytes, y.Bytes) {
		t.Fatalf("%s gives other bytes", what)
	}
}

func TestMergeAlgebra(t *testing.T) {
	for _, domain := range testarchive.Domains {
		t.Run(domain.String(), rapid.MakeCheck(func(t *rapid.T) {
			x, y, z := testarchive.DrawHighRun(t, domain, "x"), testarchive.DrawHighRun(t, domain, "y"), testarchive.DrawHighRun(t, domain, "z")
			all := testarchive.Merge(t, x, y, z)
			sameArchive(t, "another order", all, testarchive.Merge(t, z, x, y))
			sameArchive(t, "(x+y)+z", all, testarchive.Merge(t, testarchive.Merge(t, x, y), z))
			sameArchive(t, "x+(y+z)", all, testarchive.Merge(t, x, testarchive.Merge(t, z, y)))
			none := testarchive.Build(t, builder.New(domain, builder.Config{Params: testarchive.Params(domain), Flags: layout.FlagMerged}))
			sameArchive(t, "nothing + x", testarchive.Merge(t, x), testarchive.Merge(t, none, x))
			sameArchive(t, "x + nothing", testarchive.Merge(t, x, y), testarchive.Merge(t, testarchive.Merge(t, x, none), y))
			sameArchive(t, "several goroutines", all, mergedAtOnce(t, x, y, z))
		}))
	}
}

func mergedAtOnce(t testarchive.TB, stores ...testarchive.Archive) testarchive.Archive {
	h := stores[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	errs := make([]error, len(stores))
	var wait sync.WaitGroup
	for i, s := range stores {
		wait.Go(func() { errs[i] = merge.Into(t.Context(), b, s.Store, builder.Run{}) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b)
}

// A run of weight 2 counts as much as two runs that counted the same.
func TestMergeWeightIsAsIfMergedAgain(t *testing.T) {
	for _, domain := range testarchive.Domains {
		t.Run(domain.String(), rapid.MakeCheck(func(t *rapid.T) {
			x, y := testarchive.DrawRun(t, domain, "x"), testarchive.DrawRun(t, domain, "y")
			weighted, twice := testarchive.New(domain), testarchive.New(domain)
			for _, err := range []error{
				merge.Into(t.Context(), weighted, y.Store, builder.Run{}), merge.Into(t.Context(), weighted, x.Store, builder.Run{Weight: 2 * layout.WeightOne}),
				merge.Into(t.Context(), twice, y.Store, builder.Run{}), merge.Into(t.Context(), twice, x.Store, builder.Run{}), merge.Into(t.Context(), twice, again(t, x).Store, builder.Run{}),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, kind := range []layout.TableKind{layout.TableMonitors, layout.TableThreads} {
				sameTable(t, testarchive.Build(t, weighted), testarchive.Build(t, twice), kind)
			}
			sameCounts(t, testarchive.Build(t, weighted), testarchive.Build(t, twice))
		}))
	}
}

// again is the archive as if testarchive.Archive by a second run.
func again(t testarchive.TB, s testarchive.Archive) testarchive.Archive {
	config := builder.ConfigOf(s.Header())
	config.DumpID[15] ^= 1
	b := builder.New(s.Header().Domain, config)
	if err := merge.Copy(t.Context(), b, s.Store, merge.Trained); err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b)
}

// sameCounts compares all count cells of two archives with the same profiles.
func sameCounts(t *rapid.T, x, y testarchive.Archive) {
	t.Helper()
	counts := func(s testarchive.Archive) (all []uint64) {
		shape := disk.ShapeOf(&s.Header().Params)
		for m, err := range s.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			for p, err := range m.Profiles() {
				if err != nil {
					t.Fatal(err)
				}
				n, _ := p.Invocations()
				all = append(all, n.Load())
				for e := range p.Entries() {
					for cell := range shape.Counts(disk.Entry(e.Bytes())) {
						all = append(all, disk.Entry(e.Bytes()).Cell(cell))
					}
				}
			}
		}
		slices.Sort(all) // the highest come first only where something was summed
		return all
	}
	if a, b := counts(x), counts(y); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Fatalf("counts differ:\n%v\n%v", a, b)
	}
}

func sameTable(t *rapid.T, x, y testarchive.Archive, kind layout.TableKind) {
	t.Helper()
	a, errA := x.Table(kind)
	b, errB := y.Table(kind)
	if (errA == nil) != (errB == nil) || errA == nil && a.Rows != b.Rows {
		t.Fatalf("table %d: %v, %v", kind, errA, errB)
	}
	for r := range a.Rows {
		for c := range a.Columns() {
			if a.Column(c) == layout.ColumnWord && a.Cell(c, r) != b.Cell(c, r) {
				t.Fatalf("table %d, row %d, column %d: %d and %d", kind, r, c, a.Cell(c, r), b.Cell(c, r))
			}
		}
	}
}

func TestMergeOfSpecimens(t *testing.T) {
	for _, sp := range specimen.All() {
		data, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		one := testarchive.Merge(t, testarchive.Archive{Store: testarchive.Open(t, data), Bytes: data})
		if !bytes.Equal(one.Bytes, testarchive.Merge(t, one).Bytes) {
			t.Errorf("%s: a merged archive merged alone gives other bytes", sp.Name)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	b := testarchive.New(layout.DomainHotSpot)
	s := testarchive.Build(t, testarchive.New(layout.DomainHotSpot))
	if err := merge.Into(t.Context(), b, s.Store, builder.Run{}); err != nil {
		t.Fatal(err)
	}
	once := testarchive.Build(t, b)
	for what, c := range map[string]struct {
		s    testarchive.Archive
		run  builder.Run
		want error
	}{
		"a dump twice":          {s, builder.Run{}, merge.ErrCounted},
		"a dump inside a merge": {once, builder.Run{}, merge.ErrCounted},
		"a weight for a merge":  {once, builder.Run{Weight: 3 * layout.WeightOne}, merge.ErrWeighted},
		"another domain":        {testarchive.Build(t, builder.New(layout.DomainGraal, builder.Config{})), builder.Run{}, builder.ErrMismatch},
	} {
		if err := merge.Into(t.Context(), b, c.s.Store, c.run); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	if !bytes.Equal(once.Bytes, testarchive.Build(t, b).Bytes) {
		t.Error("a refused archive has left something behind")
	}
}

// Methods whose keys hold within a run only are summed, and counted.
func TestMergeCountsWhatMayBeSomethingElse(t *testing.T) {
	run := func(id byte) testarchive.Archive {
		b := builder.New(layout.DomainGraal, builder.Config{DumpID: [16]byte{id}})
		for name, flags := range map[string]layout.MethodFlags{"?7": layout.MethodNotMatchable, "main": 0} {
			m := b.Method(layout.Key{Name: name})
			b.DescribeMethod(m, builder.MethodInfo{Flags: flags})
			p := b.Profile(m, 0, builder.NoContext)
			p.Invocations(1)
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
		return testarchive.Build(t, b)
	}
	b := builder.New(layout.DomainGraal, builder.Config{})
	for id := range byte(3) {
		if err := merge.Into(t.Context(), b, run(id+1).Store, builder.Run{}); err != nil || b.Unmatchable() != uint64(id) {
			t.Errorf("%d profiles may be of something else, %v", b.Unmatchable(), err)
		}
	}
}

// A run without a type profile does not show how many rows one has: it fits
// every other, whichever is merged first.
func TestMergeOfRunsThatDoNotShowTheirShape(t *testing.T) {
	run := func(id byte, params layout.Params, receivers bool) testarchive.Archive {
		b := builder.New(layout.DomainHotSpot, builder.Config{Params: params, DumpID: [16]byte{id}})
		p := b.Profile(b.Method(layout.Key{Class: "A", Name: "a"}), 0, builder.NoContext)
		p.Counter(builder.At{Bci: 1}, uint64(id))
		if receivers {
			p.VirtualCall(builder.At{Bci: 4}, builder.Others{Count: 3},
				builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2})
		}
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		return testarchive.Build(t, b)
	}
	short, shorter := run(1, layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 0}, false), run(2, layout.Params{TypeProfileWidth: 4, BciProfileWidth: 1, ReceiverGap: 0}, false)
	long, other := run(3, layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1}, true), run(4, layout.Params{TypeProfileWidth: 3, BciProfileWidth: 2, ReceiverGap: 1}, true)
	all := testarchive.Merge(t, short, shorter, long)
	for _, again := range []testarchive.Archive{testarchive.Merge(t, long, shorter, short), testarchive.Merge(t, testarchive.Merge(t, shorter, short), long), mergedAtOnce(t, shorter, long, short)} {
		if !bytes.Equal(again.Bytes, all.Bytes) {
			t.Error("another order gives other bytes")
		}
	}
	if got := disk.ShapeOf(&all.Header().Params); got != disk.ShapeOf(&long.Header().Params) {
		t.Errorf("shape %+v, want that of the run with type profiles", got)
	}
	if a, b := testarchive.Merge(t, short, shorter), testarchive.Merge(t, shorter, short); !bytes.Equal(a.Bytes, b.Bytes) {
		t.Error("short runs in another order give other bytes")
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: long.Header().Params})
	if err := errors.Join(merge.Into(t.Context(), b, short.Store, builder.Run{}), merge.Into(t.Context(), b, long.Store, builder.Run{})); err != nil {
		t.Fatal(err)
	}
	if err := merge.Into(t.Context(), b, other.Store, builder.Run{}); !errors.Is(err, builder.ErrMismatch) {
		t.Errorf("another number of rows: %v", err)
	}
}

func begun(b *builder.Builder) *builder.Profile {
	return b.Profile(b.Method(layout.Key{Class: "A", Name: "a"}), 0, builder.NoContext)
}

// A profile that was given directly has entries of the shape that the builder
// had: no archive may change it under them.
func TestShapeOfGivenProfiles(t *testing.T) {
	small := layout.Params{TypeProfileWidth: 2}
	wide := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 4, ReceiverGap: 1}})
	call(t, wide)
	plain := builder.New(layout.DomainHotSpot, builder.Config{Params: small})
	if err := begun(plain).Done(); err != nil {
		t.Fatal(err)
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: small})
	if err := merge.Into(t.Context(), b, testarchive.Build(t, plain).Store, builder.Run{}); err != nil {
		t.Fatal(err)
	}
	b.NextRun(builder.Run{})
	call(t, b)
	if err := merge.Into(t.Context(), b, testarchive.Build(t, wide).Store, builder.Run{}); !errors.Is(err, builder.ErrMismatch) {
		t.Errorf("%v, want ErrMismatch", err)
	}
	testarchive.Build(t, b)
}

func call(t *testing.T, b *builder.Builder) {
	t.Helper()
	p := begun(b)
	p.VirtualCall(builder.At{Bci: 3}, builder.Others{Count: 5},
		builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: 2})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
}

// What is seen in one run, and called or sampled in another, ran.
func TestMethodsThatAreMetRan(t *testing.T) {
	caller, callee := layout.Key{Class: "A", Name: "caller"}, layout.Key{Class: "A", Name: "callee"}
	for name, met := range map[string]func(b *builder.Builder){
		"as a caller": func(b *builder.Builder) {
			mustDone(t, b.Profile(b.Method(callee), 0, b.Context(b.Method(callee), builder.Frame{Caller: b.Method(caller)})))
		},
		"on a stack": func(b *builder.Builder) {
			b.Table(layout.TableSamples, 0, layout.ColumnWord, layout.ColumnMethod, layout.ColumnWord, layout.ColumnWord).Row(0, uint64(b.Method(caller)), 3, 1)
		},
		"as a callee": func(b *builder.Builder) {
			p := b.Profile(b.Method(callee), 0, builder.NoContext)
			p.Callees(1, builder.Callee{Method: b.Method(caller), Count: 2})
			mustDone(t, p)
		},
	} {
		seen, ran := builder.New(layout.DomainGraal, builder.Config{}), builder.New(layout.DomainGraal, builder.Config{})
		seen.Seen(seen.Method(caller))
		met(ran)
		for _, order := range [][]*builder.Builder{{seen, ran}, {ran, seen}} {
			b := builder.New(layout.DomainGraal, builder.Config{})
			for _, one := range order {
				if err := merge.Into(t.Context(), b, memstore.Open(t, one), builder.Run{}); err != nil {
					t.Fatal(err)
				}
			}
			m, err := memstore.Open(t, b).Find(caller)
			if err != nil || m.Unexecuted() {
				t.Errorf("%s: %v, never ran: %t", name, err, m.Unexecuted())
			}
		}
	}
}

func mustDone(t *testing.T, p *builder.Profile) {
	t.Helper()
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
}

// Runs of one class path share its rows after a merge.
func TestMergedRunsShareAClassPath(t *testing.T) {
	with := func(path string) func(*builder.Config) {
		return func(c *builder.Config) {
			c.Run.ClassPath = []layout.ClassPathEntry{{Path: "app.jar"}, {Path: path, Content: layout.Content{Kind: layout.ContentFile, Size: 3, Sum: 4}}}
		}
	}
	all, err := testarchive.MergeLatest(t, testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 1}, 1, with("a")), testarchive.ProcessDump(t, testarchive.Moment{PID: 2, Second: 2}, 1, with("b")), testarchive.ProcessDump(t, testarchive.Moment{PID: 3, Second: 3}, 1, with("a")))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := all.Table(layout.TableClassPath)
	runs, err2 := all.Runs()
	if err != nil || err2 != nil || paths.Rows != 4 || len(runs) != 3 {
		t.Fatalf("%d rows of class paths, %d runs, %v, %v", paths.Rows, len(runs), err, err2)
	}
	for i, want := range []string{"a", "b", "a"} {
		if p := runs[i].ClassPath; len(p) != 2 || p[1].Path != want || p[1].Sum != 4 {
			t.Errorf("run %d has the class path %+v", i, p)
		}
	}
}
