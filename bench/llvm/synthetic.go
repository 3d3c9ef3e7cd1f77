package main

import (
	"math/rand/v2"
	"strconv"
)

// A function is one of a synthetic C++ program, as one run saw it. What the
// functions are called, how many counters they have, and which of them are cold
// is the same in every run.
//
// The figures follow instrumented builds of large programs: names of 38 bytes
// and 7.5 counters on average, counts that differ by powers of two, and 37 % of
// the functions without a count.
type function struct {
	name   []byte // PGO name
	hash   uint64 // of its control flow
	counts []uint64
}

// The parts that names are made of.
var (
	namespaces = []string{"base", "net", "store", "render", "media", "crypto", "parser", "sched", "ui", "db", "proto", "trace",
		"io", "gfx", "audio", "index", "query", "cache", "codec", "shell", "mesh", "auth", "geo", "script"}
	inner = []string{"", "impl", "detail", "internal"}
	first = []string{"Short", "Page", "Block", "Async", "Local", "Remote", "Shared", "Packed", "Ordered", "Sparse", "Lazy",
		"Raw", "Cached", "Mapped", "Pooled", "Timed", "Queued", "Bound", "Inline", "Scoped", "Static", "Weak", "Flat", "Deep",
		"Delta", "Signed", "Nested", "Linear", "Merged", "Hashed"}
	second = []string{"Reader", "Writer", "Index", "Table", "Buffer", "Stream", "Cursor", "Session", "Router", "Encoder",
		"Decoder", "Planner", "Manifest", "Channel", "Visitor", "Iterator", "Builder", "Layout", "Monitor", "Request", "Response",
		"Registry", "Snapshot", "Segment", "Document", "Listener", "Filter", "Layer", "Node", "Path"}
	methods = []string{"next", "seekTo", "openFile", "close", "readAll", "flushBuffered", "append", "lookupName", "resize",
		"beginBatch", "validate", "mergeInto"}
	parameters = []string{"v", "v", "i", "m", "PKc", "PKcm", "RKNS_4ViewE", "b"}
)

// appendName appends the name of function i. The methods of a class are next to
// each other, and many classes share a namespace, so that names have long
// prefixes in common.
func appendName(b []byte, i int) []byte {
	class := i / len(methods)
	pick := func(parts []string) string {
		part := parts[class%len(parts)]
		class /= len(parts)
		return part
	}
	b = append(b, "_ZN"...)
	b = appendPart(b, pick(namespaces))
	front, back := pick(first), pick(second)
	if within := pick(inner); within != "" {
		b = appendPart(b, within)
	}
	if class > 0 {
		back += strconv.Itoa(class)
	}
	b = appendPart(b, front+back)
	b = appendPart(b, methods[i%len(methods)])
	return append(append(b, 'E'), parameters[i%len(parameters)]...)
}

// appendPart appends an identifier as the mangling has it: behind its length.
func appendPart(b []byte, part string) []byte {
	return append(strconv.AppendInt(b, int64(len(part)), 10), part...)
}

const (
	meanBlocks = 7.0  // behind the first counter, before rounding down
	coldPart   = 0.37 // of the functions
	heatBits   = 22   // the hottest counts are about that power of two
)

// read puts function i, as a run saw it, into f. There is no last one: those
// behind the ones that a program has are of the same kind and have other names.
func (f *function) read(i int, run uint64) {
	form := rand.New(rand.NewPCG(uint64(i), 1))
	f.name = appendName(f.name[:0], i)
	f.hash = form.Uint64() >> 4 // the upper bits are flags in LLVM
	n := 1 + int(form.ExpFloat64()*meanBlocks)
	cold := form.Float64() < coldPart
	heat := form.Float64() * form.Float64() * heatBits

	taken := rand.New(rand.NewPCG(uint64(i), 1+run))
	f.counts = f.counts[:0]
	for range n {
		count := uint64(0)
		if entry := len(f.counts) == 0; !cold && (entry || taken.Float64() < 0.8) {
			count = 1 + uint64(float64(uint64(1)<<int(heat))*taken.ExpFloat64())
		}
		f.counts = append(f.counts, count)
	}
}
