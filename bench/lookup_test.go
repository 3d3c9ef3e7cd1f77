package bench

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// randomOrder returns a permutation of n methods, the same in every run.
func randomOrder(n int) []int { return rand.New(rand.NewPCG(1, 2)).Perm(n) }

// openScale opens the large archive if there is a directory for it, else the small one.
func openScale(b *testing.B) (*reader.Store, Scale) {
	s := Small
	if os.Getenv("PROFARC_BENCH_DIR") != "" {
		s = Large
	}
	path, err := Archive(archiveDir(b), s)
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

// BenchmarkLookup finds methods in random order and reads one counter of each, in the archive and in Go maps
// with the same keys. Every page was accessed before, so that no page is verified while the clock runs.
func BenchmarkLookup(b *testing.B) {
	store, scale := openScale(b)
	perm := randomOrder(scale.Methods)
	ids, misses := make([]uint64, scale.Methods), make([]uint64, scale.Methods)
	keys := make([]layout.Key, scale.Methods)
	for i, n := range perm {
		ids[i], keys[i] = ID(n), Key(n)
		misses[i] = ids[i] ^ 0x5555
	}
	for _, id := range ids {
		m, err := store.FindID(id)
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
		m, err := store.FindID(ids[n%len(ids)])
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

// invocations returns the invocation counter of a method.
func invocations(b *testing.B, m reader.Method) uint64 {
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		b.Fatal(err)
	}
	c, _ := p.Invocations()
	return c.Load()
}

func missIDs(b *testing.B, store *reader.Store, ids []uint64) {
	for n := 0; b.Loop(); n++ {
		if _, err := store.FindID(ids[n%len(ids)]); !errors.Is(err, reader.ErrNotFound) {
			b.Fatal(err)
		}
	}
}

// A record is a value of the maps. It is as large as a MethodData.
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

// BenchmarkContext looks up profiles in their calling contexts, in random order: in archives of recorded
// profiles, and in archives with one method that has many contexts.
func BenchmarkContext(b *testing.B) {
	for _, name := range []string{"elidemin-1.0.0.iprof", "some-compiler-0.4.0.iprof.gz"} {
		b.Run(name, func(b *testing.B) { lookupContexts(b, storeOf(b, importSample(b, name))) })
	}
	for _, nodes := range []int{3_000, 300_000} {
		b.Run(fmt.Sprint(nodes, " contexts of a method"),
			func(b *testing.B) { lookupContexts(b, storeOf(b, manyContexts(nodes))) })
	}
}

// lookupContexts looks up all profiles that have a context, repeatedly.
func lookupContexts(b *testing.B, s *reader.Store) {
	lookups := contextsOf(b, s)
	if len(lookups) == 0 {
		b.Fatal("no profile in a context")
	}
	perm, frames, n := randomOrder(len(lookups)), 0, 0
	b.ReportAllocs()
	for b.Loop() {
		q := &lookups[perm[n%len(perm)]]
		n++
		frames += len(q.frames)
		if p, _, err := q.m.Profile(q.code, q.frames...); err != nil || p.Ref() != q.want {
			b.Fatalf("the profile at 0x%x, %v", p.Ref().Offset(), err)
		}
	}
	b.ReportMetric(float64(frames)/float64(n), "frames/op")
}

// manyContexts returns a builder with one method in so many contexts of up to
// three frames, each with a profile.
func manyContexts(nodes int) *builder.Builder {
	built := builder.New(layout.DomainGraal, builder.Config{})
	leaf := built.Method(layout.Key{Class: "C", Name: "leaf"})
	random := rand.New(rand.NewPCG(3, 4))
	for i := range nodes / 3 {
		var frames []builder.Frame
		for range 3 {
			caller := built.Method(layout.Key{Class: "C", Name: fmt.Sprint("caller ", random.IntN(1000))})
			frames = append(frames, builder.Frame{Caller: caller, Point: int32(i)})
			p := built.ProfileIn(leaf, 0, built.Context(leaf, frames...))
			p.Invocations(1)
			if err := p.Done(); err != nil {
				panic(err)
			}
		}
	}
	return built
}

// A contextLookup is the arguments of one lookup and its result.
type contextLookup struct {
	m      reader.Method
	code   uint64
	frames []reader.Frame
	want   layout.Ref
}

// contextsOf returns a lookup for every profile that has a context.
func contextsOf(b *testing.B, s *reader.Store) (lookups []contextLookup) {
	for m, err := range s.Methods() {
		if err != nil {
			b.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				b.Fatal(err)
			}
			c, ok, err := p.Context()
			if err != nil {
				b.Fatal(err)
			}
			if !ok {
				continue
			}
			frames, err := c.Frames()
			if err != nil {
				b.Fatal(err)
			}
			lookups = append(lookups, contextLookup{m, p.Code(), frames, p.Ref()})
		}
	}
	return lookups
}

// importSample imports a recorded profile. The samples are next to the project on some machines only.
func importSample(b *testing.B, name string) *builder.Builder {
	text, err := os.ReadFile(filepath.Join("..", "..", "shared", "samples", "iprof", name))
	if os.IsNotExist(err) {
		b.Skip("there are no recorded profiles next to the project")
	} else if err != nil {
		b.Fatal(err)
	}
	var in io.Reader = bytes.NewReader(text)
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			b.Fatal(err)
		}
	}
	imported, err := (&iprof.Importer{}).Import(&codec.Input{Reader: in, Name: name})
	if err != nil {
		b.Fatal(err)
	}
	return imported.Dumps[0]
}

// storeOf lays out the archive of a builder in memory and opens it.
func storeOf(b *testing.B, built *builder.Builder) *reader.Store {
	data, _, err := built.Bytes()
	if err != nil {
		b.Fatal(err)
	}
	m, err := archive.FromBytes("contexts", data, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := reader.New(m)
	b.Cleanup(func() { s.Close() })
	return s
}
