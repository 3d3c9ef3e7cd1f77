package reader_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A modelLayer is a layer, and its profiles by what they are of.
type modelLayer struct {
	store    *reader.Store
	profiles map[modelKey]uint64
}

func modelLayers(t *rapid.T) (*reader.Layers, []modelLayer) {
	var layers []modelLayer
	var stores []*reader.Store
	for range rapid.IntRange(1, 3).Draw(t, "layers") {
		l := modelLayer{profiles: map[modelKey]uint64{}}
		l.store = modelStore(t, l.profiles)
		layers, stores = append(layers, l), append(stores, l.store)
	}
	l, err := reader.NewLayers(stores...)
	if err != nil {
		t.Fatal(err)
	}
	return l, layers
}

// answering returns the layer with a profile of a version of a method, in whatever context.
func answering(layers []modelLayer, method int, code uint64) (l modelLayer, ok bool) {
	for _, l := range layers {
		for k := range l.profiles {
			if k.method == method && (k.code == code || code == layout.CodeAny) {
				return l, true
			}
		}
	}
	return l, false
}

// forEveryCaller returns what a search through all profiles finds for a version of a method and every caller.
func forEveryCaller(layers []modelLayer, method int, code uint64) (s *reader.Store, count uint64, err error) {
	l, ok := answering(layers, method, code)
	if !ok {
		return nil, 0, reader.ErrNotFound
	}
	for k, n := range l.profiles {
		if k.method != method || k.frames != "[]" || k.code != code && code != layout.CodeAny {
			continue
		}
		if s != nil {
			return nil, 0, reader.ErrAmbiguous
		}
		s, count = l.store, n
	}
	if s == nil {
		return nil, 0, reader.ErrNotFound
	}
	return s, count, nil
}

func checkFound(t *rapid.T, p reader.Profile, err error, wantStore *reader.Store, want uint64, wantErr error) {
	t.Helper()
	if !errors.Is(err, wantErr) || p.Store() != wantStore {
		t.Fatalf("found in %p with %v, want it in %p with %v", p.Store(), err, wantStore, wantErr)
	}
	if c, _ := p.Invocations(); err == nil && c.Load() != want {
		t.Fatalf("found a count of %d, want %d", c.Load(), want)
	}
}

// Every lookup in layers finds what a search through one layer after the other finds.
func TestLayersAreLookedUpInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, layers := modelLayers(t)
		for method := range modelMethods {
			for _, code := range []uint64{1, 2, 3, layout.CodeAny} {
				store, want, wantErr := forEveryCaller(layers, method, code)
				k := modelMethodKey(method)
				p, err := l.Profile(k, code)
				checkFound(t, p, err, store, want, wantErr)
				p, err = l.ProfileID(k.ID(layout.DomainHotSpot), code)
				checkFound(t, p, err, store, want, wantErr)
			}
		}
	})
}

// The method and the callers may come from any layer.
func TestContextsAreFoundInLayers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, layers := modelLayers(t)
		any := func(method int) reader.Method {
			return modelMethod(t, rapid.SampledFrom(layers).Draw(t, "layer").store, method)
		}
		for range 20 {
			method, frames := rapid.IntRange(0, modelMethods-1).Draw(t, "method"), frameLists().Draw(t, "frames")
			code := rapid.Uint64Range(1, 3).Draw(t, "code")
			var callers []reader.Frame
			for _, f := range frames {
				callers = append(callers, reader.Frame{Caller: any(f.caller), Point: int32(f.point)})
			}
			store, wantDepth, want, wantErr := inContext(layers, method, code, frames)
			p, depth, err := l.ProfileOf(any(method), code, callers...)
			checkFound(t, p, err, store, want, wantErr)
			if depth != wantDepth {
				t.Fatalf("found with %d frames, want %d", depth, wantDepth)
			}
		}
	})
}

func inContext(layers []modelLayer, method int, code uint64, frames []modelFrame) (*reader.Store, int, uint64, error) {
	l, ok := answering(layers, method, code)
	for depth := len(frames); ok && depth >= 0; depth-- {
		if n, ok := l.profiles[modelKey{method, code, fmt.Sprint(frames[:depth])}]; ok {
			return l.store, depth, n, nil
		}
	}
	return nil, 0, 0, reader.ErrNotFound
}

// Methods yields each method once, as Find finds it: in the first layer with a profile.
func TestMethodsOfLayersAreThoseThatFindFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, layers := modelLayers(t)
		seen := map[string]bool{}
		for m, err := range l.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Key()
			if err != nil || seen[k.Name] {
				t.Fatalf("%v a second time, or %v", k, err)
			}
			seen[k.Name] = true
			found, err := l.Find(k)
			byID, errByID := l.FindID(k.ID(layout.DomainHotSpot))
			if err := errors.Join(err, errByID); err != nil || found != m || byID != m {
				t.Fatalf("Methods has %v of %p, Find of %p, Lookup of %p: %v", k, m.Store(), found.Store(), byID.Store(), err)
			}
			first := slices.IndexFunc(layers, func(l modelLayer) bool {
				for of := range l.profiles {
					if modelMethodKey(of.method) == k {
						return true
					}
				}
				return false
			})
			if want := layers[max(first, 0)].store; m.Store() != want {
				t.Fatalf("%v of %p, want %p", k, m.Store(), want)
			}
		}
		if len(seen) != modelMethods {
			t.Fatalf("%d methods, want %d", len(seen), modelMethods)
		}
	})
}

// layerFile writes an archive of one profile, a layer on another one unless that is nil.
func layerFile(t *testing.T, name string, id byte, base *reader.Store) string {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "VM of " + name, DumpID: [16]byte{id},
		DumpTime: time.Unix(1700000000, 0)})
	counted(b, b.Method(layout.Key{Class: "C", Name: name}), 7, profileset.NoContext, uint64(id))
	if base != nil {
		b.Internal().ExpectBase(base.Header().AsBase())
	}
	path := filepath.Join(t.TempDir(), name+".parc")
	if _, err := b.Commit(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func openStore(t *testing.T, path string) *reader.Store {
	t.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestLayersMustLieOnTheirBases(t *testing.T) {
	t.Parallel()
	jdk := layerFile(t, "jdk", 1, nil)
	other := layerFile(t, "other", 2, nil)
	part := layerFile(t, "part", 1, nil) // another archive with the dump id of jdk
	framework := layerFile(t, "framework", 3, openStore(t, jdk))
	app := layerFile(t, "app", 4, openStore(t, framework))
	for _, test := range []struct {
		paths      []string
		wants, has string // ids in the error; "" for none
		advice     string
	}{
		{paths: []string{app, framework, jdk}},
		{paths: []string{framework, jdk}},
		{paths: []string{jdk}},
		{paths: []string{other, jdk}}, // made as no layer, so that it fits on any
		{[]string{framework, other}, "01", "02", "give the right base"},
		{[]string{framework, part}, "01", "01", "a part of the same dump or laid out anew"},
		{[]string{framework}, "01", "", "give that one too"},
		{[]string{app, framework}, "01", "", "give that one too"},
		{[]string{app, jdk}, "03", "01", "give the right base"},
		{[]string{jdk, framework}, "01", "01", "not the other way round"},
	} {
		var rejected error
		l, err := reader.OpenLayers(archive.Options{OnReject: func(err error) { rejected = err }}, test.paths...)
		if test.wants == "" {
			if err != nil || len(l.Stores()) != len(test.paths) {
				t.Errorf("%q: %v", test.paths, err)
			}
			continue
		}
		var wrong *reader.BaseError
		if !errors.As(err, &wrong) || !errors.Is(err, layout.ErrIdentity) || rejected == nil || l != nil {
			t.Errorf("%q: %v", test.paths, err)
			continue
		}
		if hex.EncodeToString(wrong.Wants.DumpID[:1]) != test.wants ||
			!strings.Contains(err.Error(), wrong.Wants.ID()) ||
			!strings.Contains(err.Error(), test.advice) {
			t.Errorf("%q: %v; want one that says %q", test.paths, err, test.advice)
		}
		if test.has != "" && (hex.EncodeToString(wrong.Has.DumpID[:1]) != test.has ||
			!strings.Contains(err.Error(), wrong.Has.ID())) {
			t.Errorf("%q: %v", test.paths, err)
		}
	}
	if _, err := reader.OpenLayers(archive.Options{}); err == nil {
		t.Error("layers of no archive")
	}
}

// An archive that somebody forged can name any base, also itself. That never leads anywhere,
// since layers are those that are given.
func TestForgedBases(t *testing.T) {
	t.Parallel()
	named := func(bases ...layout.BaseArchive) (*reader.Store, error) {
		b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{5}})
		counted(b, b.Method(layout.Key{Class: "C", Name: "m"}), 7, profileset.NoContext, 1)
		for _, base := range bases {
			b.Internal().ExpectBase(base)
		}
		data, _, err := b.Bytes()
		if err != nil {
			return nil, err
		}
		m, err := archive.FromBytes("forged", data, archive.Options{})
		return reader.New(m), err
	}
	itself, err := named(layout.BaseArchive{DumpID: [16]byte{5}, Sum: 99})
	if err != nil {
		t.Fatal(err)
	}
	var wrong *reader.BaseError
	if _, err := reader.NewLayers(itself, itself); !errors.As(err, &wrong) {
		t.Errorf("a layer on itself: %v", err)
	}
	if twice, err := named(layout.BaseArchive{Sum: 1}, layout.BaseArchive{Sum: 1}); err != nil {
		t.Error(err)
	} else if base, ok, err := twice.Base(); !ok || err != nil || base.Sum != 1 {
		t.Errorf("one base, named twice: %v, %v, %v", base, ok, err)
	}
	if _, err := named(layout.BaseArchive{Sum: 1}, layout.BaseArchive{Sum: 2}); !errors.Is(err, builder.ErrMismatch) {
		t.Errorf("a layer on two archives: %v", err)
	}
}

// Profiles of all layers are adopted, each where it is, and the files stay as they are.
func TestAdoptionOfLayers(t *testing.T) {
	t.Parallel()
	base := layerFile(t, "base", 1, nil)
	l, err := reader.OpenLayers(archive.Options{}, layerFile(t, "app", 2, openStore(t, base)), base)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Adopt(reader.AdoptOptions{}); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	profiles := make([]reader.Profile, 5)
	keys := []layout.Key{{Class: "C", Name: "app"}, {Class: "C", Name: "base"}, {Class: "C", Name: "none"},
		{Class: "C", Name: "base"}, {Class: "C", Name: "app"}}
	for i, k := range keys {
		p, err := l.Profile(k, layout.CodeAny)
		if err == nil {
			profiles[i], err = p.Claim()
		}
		if err != nil && (k.Name != "none" || !errors.Is(err, reader.ErrNotFound)) {
			t.Fatal(err)
		}
	}
	for i, want := range []uint64{2, 1, 0, 1, 2} {
		c, ok := profiles[i].Invocations()
		if !ok {
			continue
		}
		if err := c.Add(10); err != nil {
			t.Error(err)
		}
		if c.Trained() != want || c.Load() < want+10 {
			t.Errorf("profile %d counts %d, trained %d; want %d", i, c.Load(), c.Trained(), want)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Profile(keys[0], layout.CodeAny); !errors.Is(err, archive.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A hit in any layer, and a miss, allocate nothing.
func TestLookupsInLayersDoNotAllocate(t *testing.T) {
	app, base := open(t, laid(t, small())), openFixture(t)
	l, err := reader.NewLayers(app, base)
	if err != nil {
		t.Fatal(err)
	}
	area, main := find(t, base, keyArea), find(t, base, keyMain)
	id := keyArea.ID(layout.DomainHotSpot)
	frames := []reader.Frame{{Caller: find(t, base, keyLoop), Point: 4}, {Caller: main, Point: -6}}
	var sink uint64
	for name, f := range map[string]func(){
		"Find":           func() { m, _ := l.Find(keySum); sink += m.ID() },
		"Find, top":      func() { m, _ := l.Find(smallKey); sink += m.ID() },
		"Find miss":      func() { _, err := l.Find(layout.Key{Class: "No"}); sink += errorBit(err) },
		"Lookup":         func() { m, _ := l.FindID(id); sink += m.ID() },
		"Profile by key": func() { p, _ := l.Profile(keySum, layout.CodeAny); sink += uint64(p.Ref()) },
		"Profile by id":  func() { p, _ := l.ProfileID(id, layout.CodeAny); sink += uint64(p.Ref()) },
		"Profile":        func() { p, _, _ := l.ProfileOf(area, layout.CodeAny, frames...); sink += uint64(p.Ref()) },
	} {
		f() // first run: fills pools and checks
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

var smallKey = layout.Key{Class: "Small", Name: "m"}

func small() *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	counted(b, b.Method(smallKey), 0, profileset.NoContext, 1)
	return b
}
