package reader_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const benchMethods = 100_000

// A benchStore is a mapped archive of benchMethods methods, each looked up
// once, and their keys and ids in random order.
type benchStore struct {
	*reader.Store
	keys    []layout.Key
	ids     []uint64
	methods []reader.Method
	next    int
}

func openBench(b *testing.B) *benchStore {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.parc")
	if _, err := numbered(benchMethods).Commit(context.Background(), path); err != nil {
		b.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	store := &benchStore{Store: s}
	for _, i := range rand.Perm(benchMethods) {
		k := numberedKey(i)
		store.keys = append(store.keys, k)
		store.ids = append(store.ids, k.ID(layout.DomainHotSpot))
		store.methods = append(store.methods, find(b, s, k))
		profileOf(b, s, k)
	}
	b.ReportAllocs()
	return store
}

// turn returns the next number of a method.
func (s *benchStore) turn() int {
	if s.next++; s.next == benchMethods {
		s.next = 0
	}
	return s.next
}

func BenchmarkFind(b *testing.B) {
	s := openBench(b)
	for b.Loop() {
		if _, err := s.Find(s.keys[s.turn()]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFindMiss(b *testing.B) {
	s := openBench(b)
	for i := range s.keys {
		s.keys[i].Name += "?"
	}
	b.ResetTimer()
	for b.Loop() {
		if _, err := s.Find(s.keys[s.turn()]); err != reader.ErrNotFound {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	s := openBench(b)
	for b.Loop() {
		if _, err := s.FindID(s.ids[s.turn()]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupMiss(b *testing.B) {
	s := openBench(b)
	for b.Loop() {
		if _, err := s.FindID(s.ids[s.turn()] + 1); err != reader.ErrNotFound {
			b.Fatal(err)
		}
	}
}

func BenchmarkProfile(b *testing.B) {
	s := openBench(b)
	for b.Loop() {
		if _, _, err := s.methods[s.turn()].Profile(layout.CodeAny); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAt(b *testing.B) {
	for name, k := range map[string]layout.Key{"scanned": keyArea, "listed": keyMany} {
		b.Run(name, func(b *testing.B) {
			p := profileOf(b, openFixture(b), k)
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := p.At(6); !ok {
					b.Fatal("no entry")
				}
			}
		})
	}
}

func BenchmarkCounterAdd(b *testing.B) {
	s := openFixture(b)
	adopt(b, s, reader.AdoptOptions{})
	c, _ := adoptProfile(b, s, keyArea).Invocations()
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Add(1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	s := openFixture(b)
	adopt(b, s, reader.AdoptOptions{})
	r, _ := entryAt(b, adoptProfile(b, s, keyArea), 6).Receivers()
	square, err := s.FindType("Square", "app")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Record(square); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClaim is the first adoption of every profile of an archive,
// relocation included, and the copy-on-write faults where that writes.
func BenchmarkClaim(b *testing.B) {
	for name, o := range map[string]reader.AdoptOptions{"requested": {}, "anywhere": {Anywhere: true}} {
		b.Run(name, func(b *testing.B) {
			s := openBench(b)
			var profiles []reader.Profile
			b.ResetTimer()
			for i := range b.N {
				if i%benchMethods == 0 {
					b.StopTimer()
					profiles = fresh(b, s.Mapping().Name(), o)
					b.StartTimer()
				}
				if _, err := profiles[i%benchMethods].Claim(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fresh opens an archive, adopts it, and returns all its profiles, unclaimed.
func fresh(b *testing.B, path string, o reader.AdoptOptions) (profiles []reader.Profile) {
	b.Helper()
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	adopt(b, s, o)
	for m, err := range s.Methods() {
		if err != nil {
			b.Fatal(err)
		}
		p, _, err := m.Profile(layout.CodeAny)
		if err != nil {
			b.Fatal(err)
		}
		profiles = append(profiles, p)
	}
	return profiles
}

// BenchmarkAdopt is the adoption of a whole archive.
func BenchmarkAdopt(b *testing.B) {
	for name, o := range map[string]reader.AdoptOptions{
		"requested": {}, "lazy": {Anywhere: true}, "eager": {Anywhere: true, Eager: true},
	} {
		b.Run(name, func(b *testing.B) {
			path := openBench(b).Mapping().Name()
			for b.Loop() {
				s, err := reader.Open(path, archive.Options{})
				if err != nil {
					b.Fatal(err)
				}
				adopt(b, s, o)
			}
		})
	}
}
