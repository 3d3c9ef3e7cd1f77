package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/llvmreader"
)

// A function is a function of a synthetic C++ program in one run. Names, numbers
// of counters, and which functions are cold are the same in every run.
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

// appendName appends the name of function i. The methods of a class are adjacent,
// and many classes share a namespace, so that names share long prefixes.
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

// appendPart appends an identifier as the mangling has it: after its length.
func appendPart(b []byte, part string) []byte {
	return append(strconv.AppendInt(b, int64(len(part)), 10), part...)
}

const (
	meanBlocks = 7.0  // after the first counter, before rounding down
	coldPart   = 0.37 // of the functions
	heatBits   = 22   // the hottest counts are about that power of two
)

// generate sets f to function i of a run. There is no last function: those after
// the ones of a program are of the same kind and have other names.
func (f *function) generate(i int, run uint64) {
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

// profile returns the path of the .profdata of one run of a program of n
// functions, which llvm-profdata writes.
func (b *bench) profile(n int, run uint64) (string, error) {
	stem := filepath.Join(b.dir, fmt.Sprintf("llvm%d-%d-run%d", b.release, n, run))
	text, indexed := stem+".proftext", stem+".profdata"
	if _, err := os.Stat(indexed); err == nil {
		return indexed, nil
	}
	if err := writeFile(text, func(w io.Writer) error { return writeText(w, n, run) }); err != nil {
		return "", err
	}
	if err := execute(b.profdata, "merge", text, "-o", indexed); err != nil {
		return "", err
	}
	return indexed, os.Remove(text)
}

// writeText writes a profile in LLVM's text form.
func writeText(w io.Writer, n int, run uint64) error {
	line := []byte(":ir\n")
	var f function
	for i := range n {
		f.generate(i, run)
		line = append(append(line, f.name...), '\n')
		line = append(strconv.AppendUint(line, f.hash, 10), '\n')
		line = append(strconv.AppendInt(line, int64(len(f.counts)), 10), '\n')
		for _, c := range f.counts {
			line = append(strconv.AppendUint(line, c, 10), '\n')
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// writeFile creates a file and calls write with a buffered writer to it.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// keyFiles writes the names and hashes of all n functions, and of as many that
// the program does not have, both shuffled, for both contenders to read.
func (b *bench) keyFiles(n int) (hits, misses string, err error) {
	hits = filepath.Join(b.dir, fmt.Sprintf("hits-%d.txt", n))
	misses = filepath.Join(b.dir, fmt.Sprintf("misses-%d.txt", n))
	if err := writeKeys(hits, 0, n); err != nil {
		return "", "", err
	}
	return hits, misses, writeKeys(misses, n, n)
}

func writeKeys(path string, from, n int) error {
	return writeFile(path, func(w io.Writer) error {
		var f function
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
			f.generate(from+i, 0)
			if _, err := fmt.Fprintf(w, "%s %d\n", f.name, f.hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// readKeys reads the file of writeKeys. All names are parts of one string, as for
// LLVM's reader.
func readKeys(path string) (k llvmreader.Keys, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return llvmreader.Keys{}, err
	}
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(line, " ")
		var hash uint64
		if _, err := fmt.Sscan(number, &hash); err != nil {
			return llvmreader.Keys{}, fmt.Errorf("%s: %w", path, err)
		}
		k.Names = append(k.Names, name)
		k.Hashes = append(k.Hashes, hash)
		k.IDs = append(k.IDs, disk.NameRef(name))
	}
	return k, nil
}
