package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// anotherProcess differs from the test's process and has no known identity.
var anotherProcess = layout.Process{PID: 1}

func layersOf(t testarchive.TB, stores ...*reader.Store) *reader.Layers {
	t.Helper()
	l, err := reader.NewLayers(stores...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func flat(t testarchive.TB, l *reader.Layers) testarchive.Archive {
	t.Helper()
	h := l.Stores()[0].Header()
	b := builder.New(h.Domain, builder.Config{Params: h.Params})
	if err := merge.Flatten(t.Context(), b, l); err != nil {
		t.Fatal(err)
	}
	return testarchive.Build(t, b)
}

// some returns an archive with the methods of s. Only methods whose numbers are in set have profiles.
func some(t testarchive.TB, s testarchive.Archive, id byte, set int) testarchive.Archive {
	t.Helper()
	config := builder.ConfigOf(s.Header())
	config.DumpID = [16]byte{id}
	b := builder.New(s.Header().Domain, config)
	for m := range s.Methods() {
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		var i int
		if n, _ := fmt.Sscanf(k.Name, "m%d", &i); n == 1 && set>>i&1 == 0 {
			continue
		}
		ref := b.Method(k)
		for p := range m.Profiles() {
			n, _ := p.Invocations()
			var frames []builder.Frame
			if c, ok, _ := p.Context(); ok {
				callers, _ := c.Frames()
				for _, f := range callers {
					k, _ := f.Caller.Key()
					frames = append(frames, builder.Frame{Caller: b.Method(k), Point: f.Point})
				}
			}
			q := b.ProfileIn(ref, p.Code(), b.Context(ref, frames...))
			q.Invocations(n.Load() + uint64(i))
			testarchive.MustDone(t, q)
		}
	}
	return testarchive.Build(t, b)
}

// TestFlattenedDisjointLayersAreTheirMerge checks that flattening layers without common versions is the same as
// merging.
func TestFlattenedDisjointLayersAreTheirMerge(t *testing.T) {
	t.Parallel()
	checkEachDomain(t, func(t *rapid.T, domain layout.Domain) {
		set := rapid.IntRange(0, 15).Draw(t, "set")
		x := some(t, testarchive.DrawRun(t, domain, "x"), 1, set)
		y := some(t, testarchive.DrawRun(t, domain, "y"), 2, 15&^set)
		checkSame(t, "flattening", testarchive.Merge(t, x, y), flat(t, layersOf(t, x.Store, y.Store)))
	})
}

// TestFlattenedArchiveIsItsMerge checks that flattening a single archive is the same as merging it, with all tables.
func TestFlattenedArchiveIsItsMerge(t *testing.T) {
	t.Parallel()
	checkEachDomain(t, func(t *rapid.T, domain layout.Domain) {
		x := testarchive.DrawRun(t, domain, "x")
		checkSame(t, "flattening", testarchive.Merge(t, x), flat(t, layersOf(t, x.Store)))
	})
}

// foundBy returns the JSON of the method and of the profile that a lookup found, with the depth of its context, or the
// error in place of the profile. The texts do not depend on the rest of the archive.
func foundBy(t testarchive.TB, p reader.Profile, depth int, err error) (method, profile string) {
	t.Helper()
	if err != nil {
		return "", err.Error()
	}
	m, err := p.Method()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := jsondump.WriteProfile(&text, p.Store(), m, p); err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(text.String(), `"methods":[`)
	method, profile, _ = strings.Cut(line, `"profiles":[`)
	return strings.Replace(method, fmt.Sprintf(`,"flags":%d`, disk.MethodSharedID), "", 1), fmt.Sprint(depth, profile)
}

// TestFlattenedArchiveAnswersAsTheLayers compares the lookups of layers and of their flattened archive.
func TestFlattenedArchiveAnswersAsTheLayers(t *testing.T) {
	t.Parallel()
	checkEachDomain(t, func(t *rapid.T, domain layout.Domain) {
		run := func(name string) *reader.Store {
			return testarchive.Merge(t, testarchive.DrawRun(t, domain, name)).Store // merged: in the form that entries take then
		}
		l := layersOf(t, run("x"), run("y"), run("z"))
		one := flat(t, l)
		for m := range one.Methods() {
			for code := range uint64(2) {
				for depth := range 3 {
					frames := []reader.Frame{{Caller: m, Point: 3}, {Caller: m, Point: int32(depth % 2)}}[:depth]
					p, n, err := m.Profile(code, frames...)
					_, want := foundBy(t, p, n, err)
					p, n, err = l.ProfileOf(m, code, frames...)
					if _, got := foundBy(t, p, n, err); got != want {
						t.Fatalf("version %d in %d frames: layers answer\n%s\nthe archive\n%s", code, depth, got, want)
					}
				}
			}
		}
	})
}

// countedArchive returns an archive with the given numbers of calls. It is a layer on base unless base is nil.
func countedArchive(t testarchive.TB, id byte, calls map[string]uint64, base *reader.Store) testarchive.Archive {
	t.Helper()
	config := testarchive.Config(layout.DomainHotSpot)
	config.DumpID = [16]byte{id}
	config.Run = &layout.Provenance{VM: "test", Process: anotherProcess}
	b := builder.New(layout.DomainHotSpot, config)
	for name, n := range calls {
		p := b.Profile(layout.Key{Class: "C", Name: name}, 7)
		p.Invocations(n)
		testarchive.MustDone(t, p)
	}
	if base != nil {
		b.Internal().ExpectBase(base.Header().AsBase())
	}
	return testarchive.Build(t, b)
}

func callsOf(t testarchive.TB, find func(layout.Key, uint64) (reader.Profile, error), name string) uint64 {
	t.Helper()
	p, err := find(layout.Key{Class: "C", Name: name}, 7)
	if errors.Is(err, reader.ErrNotFound) {
		return 0
	} else if err != nil {
		t.Fatal(err)
	}
	n, _ := p.Invocations()
	return n.Load()
}

func TestMergeOfLayers(t *testing.T) {
	t.Parallel()
	base, other := countedArchive(t, 1, map[string]uint64{"base": 100}, nil),
		countedArchive(t, 2, map[string]uint64{"base": 200}, nil)
	on := func(id byte, base *reader.Store) testarchive.Archive {
		return countedArchive(t, id, map[string]uint64{"app": uint64(id)}, base)
	}
	x, y, z, plain := on(3, base.Store), on(4, base.Store), on(5, other.Store), on(6, nil)
	both := testarchive.Merge(t, x, y)
	checkSame(t, "another order", both, testarchive.Merge(t, y, x))
	l := layersOf(t, both.Store, base.Store)
	if app, beneath := callsOf(t, l.Profile, "app"), callsOf(t, l.Profile, "base"); app != 7 || beneath != 100 {
		t.Errorf("%d and %d calls, want 7 and 100", app, beneath)
	}
	for what, archives := range map[string][]testarchive.Archive{
		"layers on two bases": {x, z}, "a layer and none": {x, plain}, "none and a layer": {plain, x},
		"a layer and its base": {x, base},
	} {
		t.Run(what, func(t *testing.T) {
			b := testarchive.New(layout.DomainHotSpot)
			mustMerge(t, b, archives[0], merge.Run{})
			err := merge.Into(t.Context(), b, archives[1].Store, merge.Run{})
			if !errors.Is(err, builder.ErrMismatch) {
				t.Errorf("%s: %v", what, err)
			}
			checkSame(t, what+", refused", testarchive.Build(t, b), testarchive.Merge(t, archives[0]))
		})
	}
}

// TestSnapshotsOfLayers checks that a run with layers dumps each count once, with Totals and with Increments.
func TestSnapshotsOfLayers(t *testing.T) {
	t.Parallel()
	base := countedArchive(t, 1, map[string]uint64{"base": 100, "both": 1000, "idle": 1}, nil)
	app := countedArchive(t, 2, map[string]uint64{"app": 10, "both": 20}, base.Store)
	l := layersOf(t, app.Store, base.Store)
	if err := l.Adopt(reader.AdoptOptions{}); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app", "base", "both"} {
		t.Run(name, func(t *testing.T) {
			p, err := l.Profile(layout.Key{Class: "C", Name: name}, 7)
			if err == nil {
				p, err = p.Claim()
			}
			if err != nil {
				t.Fatal(err)
			}
			n, _ := p.Invocations()
			if err := n.Add(5); err != nil {
				t.Fatal(err)
			}
		})
	}
	snapshot := func(take merge.Counts) testarchive.Archive {
		b := testarchive.New(layout.DomainHotSpot)
		b.Internal().DescribeRun(layout.Provenance{VM: "test", Process: anotherProcess})
		if dropped, err := merge.CopyLayers(t.Context(), b, l, take); err != nil || dropped.Rows > 0 {
			t.Fatal(dropped, err)
		}
		return testarchive.Build(t, b)
	}
	want := map[string]uint64{"app": 15, "base": 105, "both": 25, "idle": 1}
	live := snapshot(merge.Totals)
	if n := live.Header().Counts.Profiles; n != 3 {
		t.Errorf("totals have %d profiles, want those of three methods", n)
	}
	again := layersOf(t, live.Store, base.Store)
	for name, n := range want {
		if got := callsOf(t, again.Profile, name); got != n {
			t.Errorf("totals on the base: %d calls of %s, want %d", got, name, n)
		}
	}
	b := testarchive.New(layout.DomainHotSpot)
	mustMerge(t, b, flat(t, again), merge.Run{})
	if err := merge.Into(t.Context(), b, base.Store, merge.Run{}); !errors.Is(err, merge.ErrCounted) {
		t.Errorf("the totals and the base that they contain: %v", err)
	}

	delta := snapshot(merge.Increments)
	if err := merge.Into(t.Context(), builderOf(t, app), delta.Store, merge.Run{}); !errors.Is(err,
		builder.ErrMismatch) {
		t.Errorf("increments of layers and one of them: %v", err)
	}
	sum := testarchive.Merge(t, flat(t, layersOf(t, app.Store, base.Store)), delta)
	for name, n := range want {
		if got := callsOf(t, sum.Profile, name); got != n {
			t.Errorf("increments and the layers: %d calls of %s, want %d", got, name, n)
		}
	}
}

func builderOf(t testarchive.TB, s testarchive.Archive) *builder.Builder {
	b := testarchive.New(s.Header().Domain)
	mustMerge(t, b, s, merge.Run{})
	return b
}
