package fastmem_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// functions is the number of functions of the archive that the benchmarks make and
// read: more than the caches of most machines hold.
const functions = 400_000

// functionKeys returns the keys of functions in an order of their own.
func functionKeys() []layout.Key {
	keys := make([]layout.Key, functions)
	for i := range keys {
		keys[i].Name = fmt.Sprintf("_ZN7library6module%dC2ERKNS_5valueE%xv", i%977, uint64(i)*2654435761)
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// recorded returns a builder that holds a profile of each function.
func recorded(b *testing.B, keys []layout.Key) *builder.Builder {
	b.Helper()
	to := builder.New(layout.DomainLLVMIR, builder.Config{})
	for i, k := range keys {
		p := to.Profile(k, uint64(i))
		p.Counters(0, uint64(i), 2, 3)
		if err := p.Done(); err != nil {
			b.Fatal(err)
		}
	}
	return to
}

// withAndWithout runs a benchmark with a technique and without it, in turns.
func withAndWithout(b *testing.B, t fastmem.Technique, run func(b *testing.B)) {
	b.Run("with", run)
	b.Run("without", func(b *testing.B) {
		defer fastmem.DisableTechnique(t)()
		run(b)
	})
}

// The whole operation is a batch of lookups by key, of all functions.
func BenchmarkProfileBatch(b *testing.B) {
	keys := functionKeys()
	data, _, err := recorded(b, keys).Bytes()
	if err != nil {
		b.Fatal(err)
	}
	m, err := archive.FromBytes("benchmark.parc", data, archive.Options{CheckAll: true})
	if err != nil {
		b.Fatal(err)
	}
	s := reader.New(m)
	defer s.Close()
	found := make([]reader.Profile, len(keys))
	find := func(b *testing.B) {
		for b.Loop() {
			if hits, err := s.ProfileBatch(keys, nil, found); hits != len(keys) || err != nil {
				b.Fatal(hits, err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/functions, "ns/lookup")
	}
	b.Run("prefetching", func(b *testing.B) { withAndWithout(b, fastmem.Prefetching, find) })
}

// The whole operation is laying an archive of all functions out in memory.
func BenchmarkCommit(b *testing.B) {
	to := recorded(b, functionKeys())
	commit := func(b *testing.B) {
		for b.Loop() {
			if _, _, err := to.Bytes(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("prefetching", func(b *testing.B) { withAndWithout(b, fastmem.Prefetching, commit) })
	b.Run("radix-sorting", func(b *testing.B) { withAndWithout(b, fastmem.RadixSorting, commit) })
	b.Run("large-pages", func(b *testing.B) { withAndWithout(b, fastmem.LargePages, commit) })
}
