package sample

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
)

// ErrNotGCC means that GCC's file does not hold a profile.
var ErrNotGCC = errors.New("the profile has calling contexts, checksums, functions without a name, or lines or " +
	"discriminators above 65535, which gcc-autofdo does not hold: use llvm-sample-extbinary")

// GCCExporter writes what gcc -fauto-profile reads.
func GCCExporter() codec.Exporter {
	version := 0
	x := newExporter("", "what gcc -fauto-profile reads (imported sample profiles)",
		func(p *Profile, w io.Writer) error { return p.writeGCC(w, uint32(version)) })
	x.format.Name = "gcc-autofdo"
	x.holds = func(p *Profile, fact codec.LossKind) bool {
		return fact == LossSources && cmp.Or(uint32(version), p.leastVersion()) == gccFiles
	}
	x.format.Options = []codec.Option{codec.NewOption("autofdo-version", &version,
		fmt.Sprintf("version of the format: 1 for GCC 5 to 11, 2 for 12 to 15, 3 for 16, %#x for LLVM (default 3 for "+
			"profiles imported from version 3, 2 for others)", gccLLVM))}
	return x
}

func (p *Profile) writeGCC(w io.Writer, version uint32) error {
	version = cmp.Or(version, p.leastVersion())
	if version > gccFiles && version != gccLLVM {
		return fmt.Errorf("%w: version %d of GCC's AutoFDO; 1 to 3 and %#x are known", ErrVersion, version, gccLLVM)
	}
	if p.Calling || p.Probes {
		return ErrNotGCC
	}
	g := gccWriter{Profile: p, version: version, names: []string{""}, places: map[string]uint32{}}
	slices.SortFunc(p.Functions, func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range p.Functions {
		f.eachName(func(name string) { g.names = append(g.names, name) })
		g.listFiles(f)
	}
	slices.Sort(g.names)
	g.names = slices.Compact(g.names)
	g.layout()
	if g.err != nil {
		return g.err
	}
	_, err := w.Write(g.out)
	return err
}

// leastVersion returns the oldest version for GCC 12 and newer that holds the profile.
func (p *Profile) leastVersion() uint32 {
	if len(p.Files) > 0 || slices.ContainsFunc(p.Functions, func(f *Function) bool { return f.First != 0 }) {
		return gccFiles
	}
	return gccBytes
}

// A gccWriter appends the parts of GCC's file.
type gccWriter struct {
	*Profile
	version uint32
	names   []string // functions and an empty name, sorted
	files   []string
	places  map[string]uint32 // indices of files
	out     []byte
	err     error
}

// listFiles lists the files of a function and of the calls in it, in the order of create_gcov.
func (g *gccWriter) listFiles(f *Function) {
	g.fileOf(f.Name)
	for _, c := range f.Calls {
		g.listFiles(c.Function)
	}
}

// fileOf returns the index of a name's file, which it appends to the files.
func (g *gccWriter) fileOf(name string) uint32 {
	file, ok := g.Files[name]
	if !ok {
		return noFile
	}
	at, listed := g.places[file]
	if !listed {
		at = uint32(len(g.files))
		g.places[file] = at
		g.files = append(g.files, file)
	}
	return at
}

func (g *gccWriter) data(numbers any) { g.out, _ = binary.Append(g.out, binary.LittleEndian, numbers) }

func (g *gccWriter) writeText(text string) {
	size, unit := len(text)+1, 1
	if g.version != gccBytes && g.version != gccFiles {
		size, unit = len(text)/4+1, 4
	}
	g.data(uint32(size))
	g.out = append(append(g.out, text...), make([]byte, size*unit-len(text))...)
}

func (g *gccWriter) layout() {
	g.data([]uint32{gccMagic, g.version, 0})
	if g.version == gccFiles {
		g.writeSummary()
	}
	g.writeNames()
	at := len(g.out)
	g.data([]uint32{tagFunctions, 0, uint32(len(g.Functions))})
	uncounted := 2 // words that create_gcov leaves out of the length
	for _, f := range g.Functions {
		g.data(f.Head)
		if g.version == gccFiles {
			g.data(f.First)
			uncounted += 2
		}
		g.function(f)
	}
	binary.LittleEndian.PutUint32(g.out[at+4:], uint32((len(g.out)-at)/4-uncounted))
	g.data(append([]uint32{0xae000000, 0, 0, 0xaf000000, 3 * 128}, make([]uint32, 3*128)...))
}

func (g *gccWriter) writeSummary() {
	s, maxHead := g.summarize()
	g.data(uint32(tagSummary))
	g.data([]uint64{s.TotalCount, s.MaxBlockCount, maxHead, s.Blocks, s.Functions, uint64(len(s.Cutoffs))})
	for _, c := range s.Cutoffs {
		g.data(uint32(c.Share))
		g.data([]uint64{c.MinCount, c.Blocks})
	}
}

// writeNames writes a length without files, as create_gcov does.
func (g *gccWriter) writeNames() {
	words := 1
	for _, name := range g.names {
		words += 2 + len(textOfName(name))/4
		g.fileOf(name)
	}
	g.data([]uint32{tagNames, uint32(words)})
	if g.version == gccFiles {
		g.data(uint32(len(g.files)))
		for _, file := range g.files {
			g.writeText(file)
		}
	}
	g.data(uint32(len(g.names)))
	for _, name := range g.names {
		g.writeText(textOfName(name))
		if g.version == gccFiles {
			g.data(g.fileOf(name))
		}
	}
}

func (g *gccWriter) indexOf(name string) int {
	if _, guid := guidOfName(name); guid || name == "" {
		g.err = ErrNotGCC
	}
	i, _ := slices.BinarySearch(g.names, name)
	return i
}

func (g *gccWriter) location(at Location) {
	if max(at.Line, at.Discriminator) > maxLine {
		g.err = ErrNotGCC
	}
	g.data(at.Line<<16 | at.Discriminator)
}

func (g *gccWriter) function(f *Function) {
	g.data([]uint32{uint32(g.indexOf(f.Name)), uint32(len(f.Lines)), uint32(len(f.Calls))})
	for _, l := range f.Lines {
		g.location(l.Location)
		g.data(uint32(len(l.Targets)))
		g.data(l.Samples)
		slices.SortStableFunc(l.Targets, func(a, b Target) int { return strings.Compare(a.Name, b.Name) })
		for _, t := range l.Targets {
			g.data(uint32(targetCalls))
			g.data([]uint64{uint64(g.indexOf(t.Name)), t.Count})
		}
	}
	for _, c := range f.Calls {
		g.location(c.Location)
		g.function(c.Function)
	}
}
