package llvm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/reader"
)

// benchFunctions is the number of functions that benchmarks read, of 7.5
// counters on average and with names of 38 bytes.
const benchFunctions = 100_000

// benchSpec returns a program of that size.
func benchSpec() rawSpec {
	s := rawSpec{version: 10, variant: VariantIR, packed: true}
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range benchFunctions {
		f := rawSpecFunction{name: fmt.Sprintf("_ZN4some9namespace%09d8functionEv", i), hash: rng.Uint64(),
			address: uint64(16 * i)}
		for range 1 + rng.IntN(14) {
			f.counts = append(f.counts, uint64(rng.ExpFloat64()*1e5))
		}
		if rng.IntN(10) == 0 {
			f.sites[0] = [][]builder.Value{{{Value: 16, Count: 5}, {Value: 32, Count: 3}}}
		}
		s.functions = append(s.functions, f)
	}
	return s
}

// benchFiles returns the program in all forms.
func benchFiles(b *testing.B) map[string][]byte {
	raw := benchSpec().encode(b)
	built, _ := readInto(b, ReadOptions{}, raw)
	data, _, err := built.Bytes()
	if err != nil {
		b.Fatal(err)
	}
	m, err := archive.FromBytes("bench.parc", data, archive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := reader.New(m)
	defer s.Close()
	var indexed, text bytes.Buffer
	if _, err := WriteIndexed(&indexed, s, WriteOptions{Version: IndexedNewest}); err != nil {
		b.Fatal(err)
	}
	if _, err := WriteText(&text, s, WriteOptions{}); err != nil {
		b.Fatal(err)
	}
	return map[string][]byte{"raw": raw, "indexed": indexed.Bytes(), "text": text.Bytes()}
}

// BenchmarkRead reads into a new builder and into one that has everything already.
func BenchmarkRead(b *testing.B) {
	files := benchFiles(b)
	for _, form := range []string{"raw", "indexed", "text"} {
		file := files[form]
		report := func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchFunctions), "ns/function")
		}
		b.Run(form+"/new", func(b *testing.B) {
			for b.Loop() {
				readInto(b, ReadOptions{}, file)
			}
			report(b)
		})
		b.Run(form+"/merge", func(b *testing.B) {
			var o ReadOptions
			o.Into, _ = readInto(b, o, file)
			for b.Loop() {
				readInto(b, o, file)
			}
			report(b)
		})
	}
}
