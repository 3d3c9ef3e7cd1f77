package sample

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/profarc/profarc/internal/file/disk"
)

// GCC's AutoFDO file has the magic number of .gcda files, a version, an unused word, and sections. A section begins
// with a tag and its length in words, which readers ignore. Words are little-endian and have 4 bytes; a count has two.
// After the functions come modules, which are always empty, and a working set, which GCC 5 and newer ignore. Version 3
// begins with a summary of the counts, which has no length, and has files before the names.
const (
	gccMagic     = 0x67636461
	tagSummary   = 0xa8000000
	tagNames     = 0xaa000000
	tagFunctions = 0xac000000

	summarySize = 4 + 6*8 + 16*(4+8+8)
	targetCalls = 7              // the only type of targets
	noFile      = math.MaxUint32 // number of the file of a name without one
)

// Versions of the file. A release of GCC reads one of them.
const (
	gccPadded = 1          // names are padded to words
	gccBytes  = 2          // names have a length in bytes
	gccFiles  = 3          // names have source files, functions have times
	gccLLVM   = 0x3430372a // equal to gccPadded; create_gcov's default, and the only version that LLVM reads
)

// isGCC reports whether a file is GCC's, with tagNames or tagSummary. Instrumented programs write .gcda files with
// other tags.
func isGCC(head []byte) bool {
	return len(head) >= 16 && binary.LittleEndian.Uint32(head) == gccMagic && head[15]|2 == tagNames>>24
}

type gccReader struct {
	cursor
	version uint32
	names   []string
	profile *Profile
}

func readGCC(file []byte, name string) (*Profile, error) {
	p := &Profile{Files: map[string]string{}}
	r := gccReader{cursor: *newCursor(file[4:], 4), profile: p}
	r.version = r.word()
	if r.version-gccPadded > gccFiles-gccPadded && r.version>>16 != gccLLVM>>16 {
		return nil, fmt.Errorf("%s: %w: version %d of GCC's AutoFDO; 1 to 3 are known", name, ErrVersion, r.version)
	}
	r.word()
	var summary []byte
	if r.version == gccFiles {
		summary = r.bytes(summarySize)
	}
	r.section(tagNames)
	r.readNames()
	r.section(tagFunctions)
	for n := r.word(); n > 0 && r.err == nil; n-- {
		p.Functions = append(p.Functions, r.function(0))
	}
	if r.err != nil {
		return nil, fmt.Errorf("%s: %w", name, r.err)
	}
	if summary != nil {
		p.sort() // adds up what occurs twice
		own := gccWriter{Profile: p}
		own.writeSummary()
		p.otherSummary = !bytes.Equal(summary, own.out)
	}
	return p, nil
}

// section reads the tag of a section and its length.
func (r *gccReader) section(tag uint32) {
	if found := r.word(); found != tag {
		r.fail(fmt.Sprintf("section %#x instead of %#x", found, tag))
	}
	r.word()
}

func (r *gccReader) word() uint32 {
	var n uint32
	_, _ = binary.Decode(r.bytes(4), binary.LittleEndian, &n) // stays 0 after an error
	return n
}

func (r *gccReader) readNames() {
	if r.version == gccFiles {
		for n := r.word(); n > 0 && r.err == nil; n-- {
			r.profile.fileNames = append(r.profile.fileNames, r.sizedText(1))
		}
	}
	unit := uint64(1)
	n := r.word()
	// create_gcov 0.19 pads in version 2, too: zeros follow the first name, which is empty.
	padded := n > 1 && bytes.HasPrefix(r.rest, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	if r.version != gccFiles && (r.version != gccBytes || padded) {
		unit = 4
	}
	for ; n > 0 && r.err == nil; n-- {
		name := nameOfText(r.sizedText(unit))
		r.names = append(r.names, name)
		if r.version == gccFiles {
			r.readFile(name)
		}
	}
}

func (r *gccReader) sizedText(unit uint64) string {
	text, _, _ := bytes.Cut(r.bytes(uint64(r.word())*unit), []byte{0})
	return string(text)
}

// readFile reads the number of a name's file. The last one of a name counts, as in GCC.
func (r *gccReader) readFile(name string) {
	switch i := r.word(); {
	case uint64(i) < uint64(len(r.profile.fileNames)):
		r.profile.Files[name] = r.profile.fileNames[i]
	case i == noFile:
		delete(r.profile.Files, name)
	default:
		r.fail("the number of a file that is not there")
	}
}

func (r *gccReader) name(n uint64) string {
	if n >= uint64(len(r.names)) {
		r.fail("the number of a name that is not there")
		return ""
	}
	return r.names[n]
}

// location reads a line in the upper half of a word, and a discriminator in the lower one.
func (r *gccReader) location() Location {
	at := r.word()
	return Location{at >> 16, at & 0xffff}
}

func (r *gccReader) function(depth int) *Function {
	f := &Function{}
	if depth == 0 {
		f.Head = r.uint64()
		if r.version == gccFiles {
			f.First = r.uint64()
		}
	}
	f.Name = r.name(uint64(r.word()))
	if depth > maxInlined {
		r.fail(fmt.Sprintf("more than %d inlined functions, one in another", maxInlined))
	}
	lines, calls := r.word(), r.word()
	for ; lines > 0 && r.err == nil; lines-- {
		l := Line{Location: r.location()}
		targets := r.word()
		l.Samples = r.uint64()
		for ; targets > 0 && r.err == nil; targets-- {
			if r.word() != targetCalls {
				r.fail("targets that are no calls")
			}
			l.Targets = append(l.Targets, Target{r.name(r.uint64()), r.uint64()})
		}
		f.Lines = append(f.Lines, l)
		f.Total = disk.SaturatingAdd(f.Total, l.Samples)
	}
	for ; calls > 0 && r.err == nil; calls-- {
		c := Call{r.location(), r.function(depth + 1)}
		f.Calls = append(f.Calls, c)
		f.Total = disk.SaturatingAdd(f.Total, c.Total)
	}
	return f
}
