package sample

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
)

// GCC's AutoFDO file has the magic number of .gcda files, a version, an unused word, and sections. A section begins
// with a tag and its length in words, which readers ignore. Words are little-endian and have 4 bytes; a count has two.
// After the functions come modules, which are always empty, and a working set, which GCC 5 and newer ignore.
const (
	gccMagic     = 0x67636461
	tagNames     = 0xaa000000
	tagFunctions = 0xac000000

	targetCalls = 7 // the only type of targets
)

// Versions of the file. GCC 16 reads version 3 alone, which has further sections.
const (
	gccPadded = 1          // names are padded to words
	gccBytes  = 2          // names have a length in bytes
	gccLLVM   = 0x3430372a // equal to gccPadded; create_gcov's default, and the only version that LLVM reads
)

// isGCC reports whether a file is GCC's. The .gcda files of instrumented programs have other tags. That of version 3 is
// 0xa8000000.
func isGCC(head []byte) bool {
	return len(head) >= 16 && binary.LittleEndian.Uint32(head) == gccMagic && head[15]|2 == tagNames>>24
}

type gccReader struct {
	cursor
	names []string
}

func readGCC(file []byte, name string) (*Profile, error) {
	r := gccReader{cursor: *newCursor(file[4:], 4)}
	version := r.word()
	if version != gccBytes && version != gccPadded && version>>16 != gccLLVM>>16 {
		return nil, fmt.Errorf("%s: %w: version %d of GCC's AutoFDO, later than 2", name, ErrVersion, version)
	}
	r.bytes(3 * 4)
	r.readNames(version != gccBytes)
	if r.word() != tagFunctions {
		r.fail("no functions after the names")
	}
	r.word()
	p := &Profile{}
	for n := r.word(); n > 0 && r.err == nil; n-- {
		head := r.uint64()
		f := r.function(0)
		f.Head = head
		p.Functions = append(p.Functions, f)
	}
	if r.err != nil {
		return nil, fmt.Errorf("%s: %w", name, r.err)
	}
	return p, nil
}

func (r *gccReader) word() uint32 {
	var n uint32
	_, _ = binary.Decode(r.bytes(4), binary.LittleEndian, &n) // stays 0 after an error
	return n
}

func (r *gccReader) readNames(padded bool) {
	unit := uint64(1)
	n := r.word()
	// create_gcov 0.19 pads in all versions: zeros follow the first name, which is empty.
	if padded || n > 1 && bytes.HasPrefix(r.rest, []byte{1, 0, 0, 0, 0, 0, 0, 0}) {
		unit = 4
	}
	for ; n > 0 && r.err == nil; n-- {
		text, _, _ := bytes.Cut(r.bytes(uint64(r.word())*unit), []byte{0})
		r.names = append(r.names, nameOfText(string(text)))
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
	f := &Function{Name: r.name(uint64(r.word()))}
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
