package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A format makes the inputs of one importer.
type format struct {
	name string
	make func(w *inputWriter)
}

var formats = []format{
	{"folded", makeFolded},
	{"perf", makePerf},
	{"proftext", makeProftext},
	{"iprof", makeIprof},
	{"text-hotspot", makeHotSpotText},
	{"text-graal", makeGraalText},
	{"text-sampled", makeSampledText},
	{"text-llvm", makeLLVMText},
}

// encode returns the input of a genome, of about size bytes.
func (g genome) encode(size int) []byte {
	w := &inputWriter{g: &g, size: size, names: namer{kind: g.genes[geneNames], length: g.powerOf(geneName)},
		random: rand.New(rand.NewPCG(1, 2))}
	formats[g.format].make(w)
	return w.Bytes()
}

// An inputWriter collects an input until it is full.
type inputWriter struct {
	bytes.Buffer
	g      *genome
	size   int
	names  namer
	random *rand.Rand
}

func (w *inputWriter) full() bool { return w.Len() >= w.size }

func (w *inputWriter) printf(format string, args ...any) { fmt.Fprintf(&w.Buffer, format, args...) }

// each calls f with 0, 1 and so on, until the input is full or as often as a gene says.
func (w *inputWriter) each(g gene, f func(i int)) {
	for i := 0; i < w.g.powerOf(g) && !w.full(); i++ {
		f(i)
	}
}

func (w *inputWriter) untilFull(f func(i int)) {
	for i := 0; !w.full(); i++ {
		f(i)
	}
}

// countAt returns the i-th count.
func (w *inputWriter) countAt(i int) uint64 {
	switch w.g.genes[geneCounts] {
	case countZero:
		return 0
	case countHighest:
		return 1<<64 - 3
	case countDistinct:
		return uint64(i)*0x9e3779b97f4a7c15>>20 + 1
	}
	return 1
}

// point returns the i-th profile point.
func (w *inputWriter) point(i int) int {
	switch w.g.genes[genePoints] {
	case pointsEqual:
		return 7
	case pointsDescending:
		return 65000 - i%65000
	}
	return i % 65000
}

// frame returns the number of the function that frame d of stack i is in, from the leaf.
func (w *inputWriter) frame(i, d, depth int) int {
	n := w.g.powerOf(geneFunctions)
	switch w.g.genes[geneOrder] {
	case orderOneLeaf:
		if d == 0 {
			return 0
		}
		return (i*depth + d) % n
	case orderOneRoot:
		if d == depth-1 {
			return 0
		}
		return (i*depth + d) % n
	case orderGrowing:
		return (depth - d) % n
	case orderRecursive:
		return 0
	case orderRandom:
		return w.random.IntN(n)
	}
	return (i + d) % n
}

func (w *inputWriter) depth(i int) int {
	depth := w.g.powerOf(geneDepth)
	if w.g.genes[geneOrder] == orderGrowing {
		return 1 + i%depth
	}
	return depth
}

// stack returns the names of the functions of the i-th stack, from the leaf.
func (w *inputWriter) stack(i int) (all []string) {
	depth := w.depth(i)
	left := w.size - w.Len()
	for d := 0; d < depth && left > 0; d++ {
		name := w.names.name("", w.frame(i, d, depth))
		left -= len(name)
		all = append(all, name)
	}
	return all
}

func makeFolded(w *inputWriter) {
	w.untilFull(func(i int) {
		stack := w.stack(i)
		for d := len(stack) - 1; d >= 0; d-- {
			w.WriteString(stack[d])
			if d > 0 {
				w.WriteByte(';')
			}
		}
		w.printf(" %d\n", w.countAt(i))
	})
}

func makePerf(w *inputWriter) {
	w.untilFull(func(i int) {
		w.printf("app%d %d/%d %d.%06d: %d cycles:\n", i%w.g.powerOf(geneLoaders), i%w.g.powerOf(geneVersions), i, i, i,
			w.countAt(i))
		for d, name := range w.stack(i) {
			w.printf("\t%x %s+0x%x (/usr/lib/lib%d.so)\n", 4096+w.point(d), name, w.point(d), d%w.g.powerOf(geneTypes))
		}
		w.WriteByte('\n')
	})
}

func makeProftext(w *inputWriter) {
	w.WriteString(":ir\n")
	w.untilFull(func(i int) {
		w.each(geneVersions, func(v int) {
			counters := min(w.g.powerOf(geneEntries), w.size/2)
			w.printf("%s\n%d\n%d\n", w.names.name("", i), v, counters)
			for c := range counters {
				w.printf("%d\n", w.countAt(c))
			}
			w.addValueSites(i)
			w.WriteByte('\n')
		})
	})
}

// addValueSites adds the indirect calls of a function in the text of LLVM.
func (w *inputWriter) addValueSites(i int) {
	rows := min(w.g.powerOf(geneRows), 255, 2+max(w.size-w.Len(), 0)/w.g.powerOf(geneName))
	if rows == 1 {
		return
	}
	bytesOfSite := rows * (len(w.names.name("", 0)) + 4)
	sites := min(w.g.powerOf(geneContexts), 1+max(w.size-w.Len(), 0)/bytesOfSite)
	w.printf("1\n0\n%d\n", sites)
	for site := range sites {
		w.printf("%d\n", rows)
		for r := range rows {
			w.printf("%s:%d\n", w.names.name("", (i+site+r)%w.g.powerOf(geneTypes)), w.countAt(r))
		}
	}
}

func makeIprof(w *inputWriter) {
	w.WriteString(`{"version":"1.0.0","types":[{"id":0,"name":"void"}`)
	w.each(geneTypes, func(i int) { w.printf(`,{"id":%d,"name":"%s"}`, i+1, w.names.name("", i)) })
	w.WriteString(`],"methods":[{"id":0,"name":"m","signature":[0,0]}`)
	types := w.g.powerOf(geneTypes)
	w.each(geneFunctions, func(i int) {
		w.printf(`,{"id":%d,"name":"%s","signature":[%d,0`, i+1, w.names.name("", i/w.g.powerOf(geneOverloads)), i%types+1)
		w.each(geneOverloads, func(p int) { w.printf(",%d", (i+p)%types+1) })
		w.WriteString("]}")
	})
	w.WriteString(`],"callCountProfiles":[{"ctx":"0:0","records":[1]}`)
	w.untilFull(func(i int) {
		depth := w.depth(i)
		var parts []string
		for d := 0; d < min(depth, w.size/8); d++ {
			parts = append(parts, fmt.Sprintf("%d:%d", w.frame(i, d, depth), w.point(d)))
		}
		w.printf(`,{"ctx":"%s","records":[%d]}`, strings.Join(parts, "<"), w.countAt(i))
	})
	w.WriteString(`],"conditionalProfiles":[],"virtualInvokeProfiles":[],"monitorProfiles":[],"samplingProfiles":[]}`)
}
