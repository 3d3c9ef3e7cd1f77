package bench

import (
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// order is a random order of the methods, the same in every run.
func order(n int) []int { return rand.New(rand.NewPCG(1, 2)).Perm(n) }

func openScale(b *testing.B) (*reader.Store, Scale) {
	s := Small
	if os.Getenv("PROFARC_BENCH_DIR") != "" {
		s = Large
	}
	path, err := Archive(dir(b), s)
	if err != nil {
		b.Fatal(err)
	}
	store, err := reader.Open(path, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	return store, s
}

// BenchmarkLookup finds methods in random order, and reads one counter of what
// it finds, in the archive and in Go maps of the same keys. Every page was
// touched before, so that no page is checked while the clock runs.
func BenchmarkLookup(b *testing.B) {
	store, scale := openScale(b)
	perm := order(scale.Methods)
	ids, misses := make([]uint64, scale.Methods), make([]uint64, scale.Methods)
	keys := make([]layout.Key, scale.Methods)
	for i, n := range perm {
		ids[i], keys[i] = ID(n), Key(n)
		misses[i] = ids[i] ^ 0x5555
	}
	for _, id := range ids {
		m, err := store.Lookup(id)
		if err != nil {
			b.Fatal(err)
		}
		invocations(b, m)
	}
	b.Run("id-hit/archive", func(b *testing.B) { lookupIDs(b, store, ids) })
	b.Run("id-hit/map", func(b *testing.B) { mapIDs(b, ids) })
	b.Run("id-miss/archive", func(b *testing.B) { missIDs(b, store, misses) })
	b.Run("id-miss/map", func(b *testing.B) { mapMissIDs(b, ids, misses) })
	b.Run("key-hit/archive", func(b *testing.B) { findKeys(b, store, keys) })
	b.Run("key-hit/map", func(b *testing.B) { mapKeys(b, keys) })
}

func lookupIDs(b *testing.B, store *reader.Store, ids []uint64) {
	for n := 0; b.Loop(); n++ {
		m, err := store.Lookup(ids[n%len(ids)])
		if err != nil {
			b.Fatal(err)
		}
		invocations(b, m)
	}
}

func findKeys(b *testing.B, store *reader.Store, keys []layout.Key) {
	for n := 0; b.Loop(); n++ {
		m, err := store.Find(keys[n%len(keys)])
		if err != nil {
			b.Fatal(err)
		}
		invocations(b, m)
	}
}

func invocations(b *testing.B, m reader.Method) uint64 {
	p, _, err := m.Profile(reader.AnyCode)
	if err != nil {
		b.Fatal(err)
	}
	c, _ := p.Invocations()
	return c.Load()
}

func missIDs(b *testing.B, store *reader.Store, ids []uint64) {
	for n := 0; b.Loop(); n++ {
		if _, err := store.Lookup(ids[n%len(ids)]); !errors.Is(err, reader.ErrNotFound) {
			b.Fatal(err)
		}
	}
}

// A record is what the maps lead to: as large as a MethodData.
type record struct {
	invocations uint64
	_           [392]byte
}

func mapIDs(b *testing.B, ids []uint64) {
	records, sum := recordsByID(ids), uint64(0)
	for n := 0; b.Loop(); n++ {
		sum += records[ids[n%len(ids)]].invocations
	}
	_ = sum
}

func mapMissIDs(b *testing.B, ids, misses []uint64) {
	records := recordsByID(ids)
	for n := 0; b.Loop(); n++ {
		if records[misses[n%len(misses)]] != nil {
			b.Fatal("found")
		}
	}
}

func recordsByID(ids []uint64) map[uint64]*record {
	records := make(map[uint64]*record, len(ids))
	for i, id := range ids {
		records[id] = &record{invocations: uint64(i)}
	}
	return records
}

func mapKeys(b *testing.B, keys []layout.Key) {
	records, sum := make(map[layout.Key]*record, len(keys)), uint64(0)
	for i, k := range keys {
		records[k] = &record{invocations: uint64(i)}
	}
	for n := 0; b.Loop(); n++ {
		sum += records[keys[n%len(keys)]].invocations
	}
	_ = sum
}
