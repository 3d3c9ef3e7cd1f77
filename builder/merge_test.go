package builder_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

var mergedDomains = []layout.Domain{layout.DomainHotSpot, layout.DomainLLVMIR, layout.DomainLLVMFrontend, layout.DomainGraal, layout.DomainJamaica}

// fatal lets a rapid.T stand where a testing.TB is asked for.
type fatal struct {
	testing.TB
	rapid *rapid.T
}

func (f fatal) Helper()                  {}
func (f fatal) Fatal(args ...any)        { f.rapid.Fatal(args...) }
func (f fatal) Context() context.Context { return f.rapid.Context() }

// merged is the archive of several runs.
func merged(t testing.TB, stores ...dumped) dumped {
	t.Helper()
	h := stores[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	for _, s := range stores {
		if err := merge.Into(t.Context(), b, s.Store, builder.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	return built(t, b)
}

func built(t testing.TB, b *builder.Builder) dumped {
	t.Helper()
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return dumped{openBytes(t, data), data}
}

func sameArchive(t *rapid.T, what string, x, y dumped) {
	t.Helper()
	if !bytes.Equal(x.bytes, y.bytes) {
		t.Fatalf("%s gives other bytes", what)
	}
}

func TestMergeAlgebra(t *testing.T) {
	for _, domain := range mergedDomains {
		t.Run(domain.String(), rapid.MakeCheck(func(t *rapid.T) {
			f := fatal{rapid: t}
			x, y, z := drawRun(t, domain, "x", true), drawRun(t, domain, "y", true), drawRun(t, domain, "z", true)
			all := merged(f, x, y, z)
			sameArchive(t, "another order", all, merged(f, z, x, y))
			sameArchive(t, "(x+y)+z", all, merged(f, merged(f, x, y), z))
			sameArchive(t, "x+(y+z)", all, merged(f, x, merged(f, z, y)))
			none := built(f, builder.New(domain, builder.Config{Params: mergeParams(domain), Flags: layout.FlagMerged}))
			sameArchive(t, "nothing + x", merged(f, x), merged(f, none, x))
			sameArchive(t, "x + nothing", merged(f, x, y), merged(f, merged(f, x, none), y))
			sameArchive(t, "several goroutines", all, mergedAtOnce(f, x, y, z))
		}))
	}
}

func mergedAtOnce(t testing.TB, stores ...dumped) dumped {
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
	return built(t, b)
}

// A run of weight 2 counts as much as two runs that counted the same.
func TestMergeWeightIsAsIfMergedAgain(t *testing.T) {
	for _, domain := range mergedDomains {
		t.Run(domain.String(), rapid.MakeCheck(func(t *rapid.T) {
			f := fatal{rapid: t}
			x, y := drawRun(t, domain, "x", false), drawRun(t, domain, "y", false)
			weighted, twice := builder.New(domain, builder.Config{Params: mergeParams(domain)}), builder.New(domain, builder.Config{Params: mergeParams(domain)})
			for _, err := range []error{
				merge.Into(t.Context(), weighted, y.Store, builder.Run{}), merge.Into(t.Context(), weighted, x.Store, builder.Run{Weight: 2 * layout.WeightOne}),
				merge.Into(t.Context(), twice, y.Store, builder.Run{}), merge.Into(t.Context(), twice, x.Store, builder.Run{}), merge.Into(t.Context(), twice, again(f, x).Store, builder.Run{}),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, kind := range []layout.TableKind{layout.TableMonitors, layout.TableThreads} {
				sameTable(t, built(f, weighted), built(f, twice), kind)
			}
			sameCounts(t, built(f, weighted), built(f, twice))
		}))
	}
}

// again is the archive as if dumped by a second run.
func again(t testing.TB, s dumped) dumped {
	config := builder.ConfigOf(s.Header())
	config.DumpID[15] ^= 1
	b := builder.New(s.Header().Domain, config)
	if err := merge.Copy(t.Context(), b, s.Store, merge.Trained); err != nil {
		t.Fatal(err)
	}
	return built(t, b)
}

// sameCounts compares all count cells of two archives with the same profiles.
func sameCounts(t *rapid.T, x, y dumped) {
	t.Helper()
	counts := func(s dumped) (all []uint64) {
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

func sameTable(t *rapid.T, x, y dumped, kind layout.TableKind) {
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
		one := merged(t, dumped{openBytes(t, data), data})
		if !bytes.Equal(one.bytes, merged(t, one).bytes) {
			t.Errorf("%s: a merged archive merged alone gives other bytes", sp.Name)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: hotspotParams()})
	s := dumped{Store: openBytes(t, build(t, nil, 1, 1))}
	if err := merge.Into(t.Context(), b, s.Store, builder.Run{}); err != nil {
		t.Fatal(err)
	}
	once := built(t, b)
	for what, c := range map[string]struct {
		s    dumped
		run  builder.Run
		want error
	}{
		"a dump twice":          {s, builder.Run{}, merge.ErrCounted},
		"a dump inside a merge": {once, builder.Run{}, merge.ErrCounted},
		"a weight for a merge":  {once, builder.Run{Weight: 3 * layout.WeightOne}, merge.ErrWeighted},
		"another domain":        {built(t, builder.New(layout.DomainGraal, builder.Config{})), builder.Run{}, builder.ErrMismatch},
	} {
		if err := merge.Into(t.Context(), b, c.s.Store, c.run); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	if !bytes.Equal(once.bytes, built(t, b).bytes) {
		t.Error("a refused archive has left something behind")
	}
}

// Methods whose keys hold within a run only are summed, and counted.
func TestMergeCountsWhatMayBeSomethingElse(t *testing.T) {
	run := func(id byte) dumped {
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
		return built(t, b)
	}
	b := builder.New(layout.DomainGraal, builder.Config{})
	for id := range byte(3) {
		if err := merge.Into(t.Context(), b, run(id+1).Store, builder.Run{}); err != nil || b.Unmatchable() != uint64(id) {
			t.Errorf("%d profiles may be of something else, %v", b.Unmatchable(), err)
		}
	}
}

func TestWeights(t *testing.T) {
	for text, want := range map[string]layout.Weight{"1": layout.WeightOne, "3": 3 * layout.WeightOne, "0.25": layout.WeightOne / 4, "18446744073": 18446744073 * layout.WeightOne, "0.000000001": 1} {
		if w, err := merge.ParseWeight(text); err != nil || w != want || w.String() != text {
			t.Errorf("%s: %d %s, %v", text, w, w, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.0000000001", "x", "1e3", "18446744074", "0.0"} {
		if w, err := merge.ParseWeight(text); err == nil {
			t.Errorf("%q: taken as %s", text, w)
		}
	}
}

// A run without a type profile does not show how many rows one has: it fits
// every other, whichever is merged first.
func TestMergeOfRunsThatDoNotShowTheirShape(t *testing.T) {
	run := func(id byte, params layout.Params, receivers bool) dumped {
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
		return built(t, b)
	}
	short, shorter := run(1, layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 0}, false), run(2, layout.Params{TypeProfileWidth: 4, BciProfileWidth: 1, ReceiverGap: 0}, false)
	long, other := run(3, layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 1}, true), run(4, layout.Params{TypeProfileWidth: 3, BciProfileWidth: 2, ReceiverGap: 1}, true)
	all := merged(t, short, shorter, long)
	for _, again := range []dumped{merged(t, long, shorter, short), merged(t, merged(t, shorter, short), long), mergedAtOnce(t, shorter, long, short)} {
		if !bytes.Equal(again.bytes, all.bytes) {
			t.Error("another order gives other bytes")
		}
	}
	if got := disk.ShapeOf(&all.Header().Params); got != disk.ShapeOf(&long.Header().Params) {
		t.Errorf("shape %+v, want that of the run with type profiles", got)
	}
	if a, b := merged(t, short, shorter), merged(t, shorter, short); !bytes.Equal(a.bytes, b.bytes) {
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
