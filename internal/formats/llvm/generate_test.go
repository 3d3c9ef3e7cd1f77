package llvm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// A generator makes odd profiles of one program: files that have some functions
// in common and others not, or not alike.
type generator struct {
	*rand.Rand
	version int // of the indexed format of the llvm-profdata that shall merge them
	variant Variant
	names   []string
}

func newGenerator(seed uint64, version int) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(version))), version: version}
	variants := []Variant{VariantIR, VariantIR, 0, VariantIR | VariantEntryFirst, VariantIR | VariantContextSensitive}
	if version >= sinceTraces {
		variants = append(variants, VariantIR|VariantByteCoverage, VariantByteCoverage)
	}
	g.variant = variants[g.IntN(len(variants))]
	if version >= sinceTraces && g.one(3) {
		g.variant |= VariantTemporal
	}
	for _, n := range g.Perm(1000)[:1+g.IntN(40)] {
		g.names = append(g.names, strings.Repeat("_Z", g.IntN(3))+fmt.Sprintf("f%d", n))
	}
	return g
}

// one reports true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

// file returns a raw file, of one module or of two, or a text.
func (g *generator) file(t testing.TB) []byte {
	s := g.module()
	if g.one(2) {
		return s.text()
	}
	file := s.encodeRaw(t)
	if g.one(4) {
		more := g.module()
		file = append(file, more.encodeRaw(t)...)
	}
	return file
}

// module returns a program or a library.
func (g *generator) module() rawSpec {
	s := rawSpec{version: 8, variant: g.variant, packed: g.one(2), functions: g.functions()}
	if g.version >= sinceVTables {
		s.version = 10
		s.vtables = []rawSpecVTable{{"_ZTV1A", vtableAddress(0), 16}, {"_ZTV1B", vtableAddress(1), 16}}
	}
	for range g.IntN(3) {
		s.binaryIDs = append(s.binaryIDs, fmt.Sprintf("program %d", g.IntN(4)))
	}
	return s
}

// encodeRaw encodes the module, with counters that can be in a raw file.
func (s *rawSpec) encodeRaw(t testing.TB) []byte {
	for _, f := range s.functions {
		for i := range f.counts {
			f.counts[i] = min(f.counts[i], maxRawCount)
		}
	}
	return s.encode(t)
}

// functions returns the functions of a file, some of them twice.
func (g *generator) functions() (all []rawSpecFunction) {
	seen := map[string]bool{}
	for i, name := range g.names {
		for hash := range uint64(1 + g.IntN(3)*g.IntN(3)) {
			hash = g.hash(hash)
			if key := fmt.Sprint(name, hash); g.one(5) || seen[key] && !g.one(8) {
				continue
			} else {
				seen[key] = true
			}
			all = append(all, g.function(name, hash, functionAddress(i)))
		}
	}
	if len(all) == 0 {
		all = append(all, g.function(g.names[0], 1, functionAddress(0)))
	}
	return all
}

// hash makes a hash that files agree on; some of them may meet in the buckets of LLVM's maps.
func (g *generator) hash(n uint64) uint64 {
	hash := n * 0x9e3779b97f4a7c15 &^ ContextSensitive >> (8 * (n % 3))
	if g.variant&VariantContextSensitive != 0 && n%2 == 0 {
		hash |= ContextSensitive
	}
	return hash
}

func functionAddress(i int) uint64 { return 0x4000 + 16*uint64(i) }
func vtableAddress(i int) uint64   { return 0x800000 + 64*uint64(i) }

func (g *generator) function(name string, hash, address uint64) rawSpecFunction {
	f := rawSpecFunction{name: name, hash: hash, address: address, stamp: g.Uint64N(30)}
	number := 1 + len(name)%4
	if g.one(12) {
		number++ // a function that changed
	}
	cold := g.one(6)
	for range number {
		f.counts = append(f.counts, g.count(cold))
	}
	if g.one(12) && g.variant&VariantByteCoverage == 0 {
		f.counts[0] = math.MaxUint64 - g.Uint64N(2) // hot, warm
	}
	if g.version >= sinceBitmaps && len(name)%3 == 0 {
		f.bitmap = make([]byte, 1+int(hash%5))
		for i := range f.bitmap {
			f.bitmap[i] = byte(g.IntN(8) * g.IntN(2))
		}
	}
	for kind := range min(3, 2+g.version/sinceVTables) {
		for range g.sites(name, kind) {
			f.sites[kind] = append(f.sites[kind], g.values(kind))
		}
	}
	return f
}

// count returns counts of all sizes; of coverage 0 or 1.
func (g *generator) count(cold bool) uint64 {
	switch {
	case cold:
		return 0
	case g.variant&VariantByteCoverage != 0:
		return g.Uint64N(2)
	case g.one(20):
		return math.MaxUint64 - g.Uint64N(5)
	case g.one(10):
		return g.Uint64()
	}
	return g.Uint64N(50)
}

// sites returns how many value sites a function has, as a rule the same in each file.
func (g *generator) sites(name string, kind int) int {
	n := (len(name) + kind) % 3
	if g.one(15) {
		n = g.IntN(3)
	}
	return n
}

// values returns the values of a site, often with several of no name.
func (g *generator) values(kind int) (values []builder.Value) {
	number := g.IntN(6)
	if g.one(4) {
		number = g.IntN(255)
	}
	sizes := g.Perm(1000)
	for i := range number {
		v := builder.Value{Value: uint64(sizes[i]), Count: g.count(false)}
		switch {
		case layout.Sub(kind) == layout.SubIndirectCall && !g.one(3):
			v.Value = functionAddress(g.IntN(len(g.names)))
		case layout.Sub(kind) == layout.SubVTable && !g.one(3):
			v.Value = vtableAddress(g.IntN(2)) + 8
		}
		values = append(values, v)
	}
	return values
}

// text encodes the file as a text, in which a site can have more values than in a raw file.
func (s *rawSpec) text() []byte {
	var b bytes.Buffer
	headings := map[Variant]string{
		VariantIR | VariantContextSensitive: "csir", VariantIR: "ir", VariantEntryFirst: "entry_first",
		VariantByteCoverage: "single_byte_coverage",
	}
	for _, bits := range []Variant{VariantIR | VariantContextSensitive, VariantIR, VariantEntryFirst,
		VariantByteCoverage} {
		if s.variant&bits == bits {
			fmt.Fprintf(&b, ":%s\n", headings[bits])
		}
	}
	if s.variant&VariantTemporal != 0 {
		s.textTraces(&b)
	}
	names := map[uint64]string{}
	for _, f := range s.functions {
		names[f.address] = f.name
	}
	for _, v := range s.vtables {
		names[v.address+8] = v.name
	}
	for _, f := range s.functions {
		f.text(&b, names, s.version >= rawBitmaps)
	}
	return b.Bytes()
}

// textTraces prints some traces of what the functions have as timestamps. LLVM's tools skip empty lines, and so refuse
// a trace without functions.
func (s *rawSpec) textTraces(b *bytes.Buffer) {
	var traces []string
	for trace := range s.functions[0].stamp % 4 {
		names := ""
		for _, f := range s.functions {
			if f.stamp%3 != trace {
				names += f.name + ","
			}
		}
		if names != "" {
			traces = append(traces, fmt.Sprintf("%d\n%s\n", 1+trace*trace, names))
		}
	}
	number := uint64(len(traces))
	fmt.Fprintf(b, ":temporal_prof_traces\n%d\n%d\n%s", number, number+s.functions[0].stamp%2, strings.Join(traces, ""))
}

// text prints a function. Bitmaps of no bytes are printed too: without that line
// llvm-profdata takes the bitmap of the function before, if it merged that one.
func (f *rawSpecFunction) text(b *bytes.Buffer, names map[uint64]string, bitmaps bool) {
	fmt.Fprintf(b, "%s\n%d\n%d\n", f.name, f.hash, len(f.counts))
	for _, n := range f.counts {
		fmt.Fprintln(b, n)
	}
	if bitmaps {
		fmt.Fprintf(b, "$%d\n", len(f.bitmap))
	}
	for _, v := range f.bitmap {
		fmt.Fprintf(b, "0x%x\n", v)
	}
	kinds := 0
	for _, sites := range f.sites {
		if len(sites) > 0 {
			kinds++
		}
	}
	if kinds > 0 {
		fmt.Fprintln(b, kinds)
	}
	for kind, sites := range f.sites {
		if len(sites) == 0 {
			continue
		}
		fmt.Fprintf(b, "%d\n%d\n", kind, len(sites))
		for _, values := range sites {
			fmt.Fprintln(b, len(values))
			for _, v := range values {
				what := fmt.Sprint(v.Value)
				if layout.Sub(kind) != layout.SubMemOpSize {
					what = names[v.Value]
					if what == "" {
						what = externalName
					}
				}
				fmt.Fprintf(b, "%s:%d\n", what, v.Count)
			}
		}
	}
}
