package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// BenchmarkLayers looks up in an archive, and in the same methods in two layers: an application with every
// tenth of them, and its base with the others. The archive finds what either layer has, and misses, in turn.
func BenchmarkLayers(b *testing.B) {
	path, err := Archive(archiveDir(b), Small)
	if err != nil {
		b.Fatal(err)
	}
	one, err := reader.Open(path, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { one.Close() })
	var top, beneath, none []layout.Key
	inTop := map[layout.Key]bool{}
	for _, n := range randomOrder(Small.Methods) {
		if k := Small.Key(n); n%10 == 0 {
			top, inTop[k] = append(top, k), true
		} else {
			beneath = append(beneath, k)
		}
		none = append(none, layout.Key{Class: "none", Name: Small.Key(n).Name})
	}
	layers, err := reader.NewLayers(part(b, one, func(k layout.Key) bool { return inTop[k] }),
		part(b, one, func(k layout.Key) bool { return !inTop[k] }))
	if err != nil {
		b.Fatal(err)
	}
	for _, in := range []struct {
		name string
		byKeyAndID
	}{{"archive", one}, {"layers", layers}} {
		for _, of := range []struct {
			name string
			keys []layout.Key
			want error
		}{{"top", top, nil}, {"base", beneath, nil}, {"miss", none, reader.ErrNotFound}} {
			b.Run("key/"+of.name+"/"+in.name, func(b *testing.B) { findProfiles(b, in, of.keys, of.want) })
			b.Run("id/"+of.name+"/"+in.name, func(b *testing.B) { lookUpProfiles(b, in, of.keys, of.want) })
		}
	}
}

// byKeyAndID is an archive, or layers.
type byKeyAndID interface {
	Profile(k layout.Key, code uint64) (reader.Profile, error)
	ProfileID(id, code uint64) (reader.Profile, error)
}

// part returns an archive of some methods of another.
func part(b *testing.B, s *reader.Store, stays func(layout.Key) bool) *reader.Store {
	p, _, err := reduce.Archive(context.Background(), s, reduce.Options{Methods: stays})
	if err != nil {
		b.Fatal(err)
	}
	store, err := p.Open("a part")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	return store
}

func findProfiles(b *testing.B, in byKeyAndID, keys []layout.Key, want error) {
	for _, k := range keys { // checked once
		_, _ = in.Profile(k, layout.CodeAny)
	}
	for n := 0; b.Loop(); n++ {
		if _, err := in.Profile(keys[n%len(keys)], layout.CodeAny); !errors.Is(err, want) {
			b.Fatal(err)
		}
	}
}

func lookUpProfiles(b *testing.B, in byKeyAndID, keys []layout.Key, want error) {
	var ids []uint64
	for _, k := range keys {
		ids = append(ids, k.ID(layout.DomainHotSpot))
		_, _ = in.ProfileID(ids[len(ids)-1], layout.CodeAny)
	}
	for n := 0; b.Loop(); n++ {
		if _, err := in.ProfileID(ids[n%len(ids)], layout.CodeAny); !errors.Is(err, want) {
			b.Fatal(err)
		}
	}
}
