package sample

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/profarc/profarc/internal/formats/parse"
)

// The bytes SPROF42 and a kind are one number, in ULEB128. A version follows.
const (
	magicBase = 0x5350524f46343200

	kindBinary   = 0xff
	kindExtended = 0x04
	kindCompact  = 0x02 // of LLVM 16 and before

	formatVersion = 103
)

// kindOf returns the kind of a binary profile, 0 for other files.
func kindOf(head []byte) byte {
	magic, n := binary.Uvarint(head)
	if n <= 0 || magic&^0xff != magicBase {
		return 0
	}
	return byte(magic)
}

// A binaryReader reads the bodies of functions.
type binaryReader struct {
	*cursor
	profile  *Profile
	names    []string
	contexts [][]Frame // the last frame is the function
	types    bool      // functions end with the classes of objects at virtual calls
}

// readBinary reads a binary profile of any kind.
func readBinary(file []byte, name string) (*Profile, error) {
	r := binaryReader{cursor: newCursor(file, 0), profile: &Profile{}}
	kind := kindOf(file)
	r.uleb()
	if version := r.uleb(); version != formatVersion {
		return nil, fmt.Errorf("%s: %w: %d", name, ErrVersion, version)
	}
	switch kind {
	case kindBinary:
		r.readPlain()
	case kindCompact:
		r.readCompact()
	case kindExtended:
		r.readExtended(file)
	default:
		return nil, fmt.Errorf("%s: %w: kind %d", name, ErrVersion, kind)
	}
	if r.err != nil {
		return nil, fmt.Errorf("%s: %w", name, r.err)
	}
	return r.profile, nil
}

// summaryNumbers is the number of totals before the rows of a summary.
const summaryNumbers = 5

// skipSummary skips the summary, since it follows from the functions.
func (r *binaryReader) skipSummary() {
	for range summaryNumbers {
		r.uleb()
	}
	for n := r.count(); n > 0; n-- {
		r.uleb()
		r.uleb()
		r.uleb()
	}
}

func (r *binaryReader) readPlain() {
	r.skipSummary()
	r.readNames()
	r.readFunctions()
}

// readCompact reads a profile of GUIDs. Its functions end where a table of their offsets begins.
func (r *binaryReader) readCompact() {
	r.skipSummary()
	r.readGUIDs(r.uleb)
	before := uint64(r.start - len(r.rest))
	end := r.uint64() - before - 8
	functions := r.bytes(end)
	r.cursor = &cursor{rest: functions, start: r.start - len(r.rest), err: r.err}
	r.readFunctions()
}

func (r *binaryReader) readNames() {
	for n := r.count(); n > 0; n-- {
		r.names = append(r.names, nameOfText(r.text()))
	}
}

func (r *binaryReader) name() string {
	n := r.uleb()
	if n >= uint64(len(r.names)) {
		r.fail("the number of a name that is not there")
		return ""
	}
	return r.names[n]
}

// function reads the context of a function, or its name.
func (r *binaryReader) function() *Function {
	if !r.profile.Calling {
		return &Function{Name: r.name()}
	}
	n := r.uleb()
	if n >= uint64(len(r.contexts)) {
		r.fail("the number of a context that is not there")
		return &Function{}
	}
	frames := r.contexts[n]
	callers := len(frames) - 1
	return &Function{Name: frames[callers].Name, Context: frames[:callers]}
}

// readTop reads a function that is not inlined.
func (r *binaryReader) readTop() {
	head := r.uleb()
	f := r.function()
	f.Head = head
	r.readBody(f, 0)
	r.profile.Functions = append(r.profile.Functions, f)
}

func (r *binaryReader) readBody(f *Function, depth int) {
	if depth > maxInlined && r.err == nil {
		r.err = parse.Exceeded("inlined functions, one in another, more than %d", maxInlined)
		r.rest = nil
		return
	}
	f.Total = r.uleb()
	for n := r.count(); n > 0 && r.err == nil; n-- {
		l := Line{Location: r.location(), Samples: r.uleb()}
		for m := r.count(); m > 0 && r.err == nil; m-- {
			l.Targets = append(l.Targets, Target{r.name(), r.uleb()})
		}
		f.Lines = append(f.Lines, l)
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		c := Call{r.location(), &Function{Name: r.name()}}
		r.readBody(c.Function, depth+1)
		f.Calls = append(f.Calls, c)
	}
	if r.types {
		r.skipTypes()
	}
}

func (r *binaryReader) skipTypes() {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		r.profile.types++
		r.location()
		for m := r.count(); m > 0 && r.err == nil; m-- {
			r.name()
			r.uleb()
		}
	}
}

// Errors of binary profiles.
var (
	// ErrMalformed means that the bytes are no profile.
	ErrMalformed = errors.New("malformed sample profile: it was changed or cut off after it was written; make it again")
	// ErrVersion means a version or a kind that is not known.
	ErrVersion = errors.New("unsupported version of a sample profile")
)

// A cursor reads a part of a file. After the first error it returns zeros.
type cursor struct {
	rest  []byte
	start int // offset of the end of rest in the file
	err   error
}

func newCursor(b []byte, offset int) *cursor { return &cursor{rest: b, start: offset + len(b)} }

func (c *cursor) fail(what string) {
	if c.err == nil {
		c.err = fmt.Errorf("byte %d: %w: %s", c.start-len(c.rest), ErrMalformed, what)
		c.rest = nil
		c.start = 0
	}
}

func (c *cursor) uleb() uint64 {
	n, size := binary.Uvarint(c.rest)
	if size <= 0 {
		c.fail("a number that does not end")
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// uint32 reads a number of at most 32 bits.
func (c *cursor) uint32() uint32 {
	n := c.uleb()
	if n > 0xffffffff {
		c.fail("a number above 32 bits")
		return 0
	}
	return uint32(n)
}

// count reads the number of things that follow, each with a byte or more.
func (c *cursor) count() int {
	n := c.uleb()
	if n > uint64(len(c.rest)) {
		c.fail("more things than bytes")
		return 0
	}
	return int(n)
}

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.fail("the end of the data")
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) uint64() uint64 {
	b := c.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// text reads a string that ends with a NUL byte.
func (c *cursor) text() string {
	text, rest, ok := bytes.Cut(c.rest, []byte{0})
	if !ok {
		c.fail("a name that does not end")
		return ""
	}
	c.rest = rest
	return string(text)
}

func (c *cursor) location() Location { return Location{c.uint32(), c.uint32()} }

// Types of the sections of extensible profiles.
const (
	sectionSummary   = 1
	sectionNames     = 2
	sectionSymbols   = 3
	sectionOffsets   = 4
	sectionMetadata  = 5
	sectionContexts  = 6
	sectionFunctions = 32
)

// Flags of sections. All sections have the first; each type has its own others.
const (
	flagCompressed = 1

	flagPartial    = 1 << 32 // of the summary
	flagCalling    = 2 << 32
	flagFlowStages = 4 << 32
	flagPreInlined = 16 << 32
	flagTypes      = 32 << 32

	flagGUIDs       = 1 << 32 // of names
	flagFixedGUIDs  = 2 << 32
	flagUniqueNames = 4 << 32 // a name has uniqueSuffix

	flagOrdered = 1 << 32 // of offsets

	flagProbes     = 1 << 32 // of metadata
	flagAttributes = 2 << 32
)

const uniqueSuffix = ".__uniq."

// A section is a part of an extensible profile.
type section struct {
	kind, flags, offset uint64
	data                []byte
}

// deflateRatio is the highest factor by which zlib compresses.
const deflateRatio = 1032

// readExtended reads the sections of an extensible profile, in the order of its table. Empty sections are skipped.
func (r *binaryReader) readExtended(file []byte) {
	var sections []section
	for n := r.uint64(); n > 0 && r.err == nil; n-- {
		s := section{kind: r.uint64(), flags: r.uint64(), offset: r.uint64()}
		size := r.uint64()
		if s.offset > uint64(len(file)) || size > uint64(len(file))-s.offset {
			r.fail("a section that ends after the file")
			return
		}
		if size > 0 {
			s.data = file[s.offset : s.offset+size]
			sections = append(sections, s)
		}
	}
	unpacked := max(parse.FreeExpansion, parse.MaxExpansion*len(file))
	for _, s := range sections {
		if r.err != nil {
			return
		}
		r.cursor = newCursor(s.data, int(s.offset))
		r.unpack(&s, &unpacked)
		r.readSection(s.kind, s.flags)
	}
}

// readSection reads the section at the cursor. Sections of other types are skipped.
func (r *binaryReader) readSection(kind, flags uint64) {
	switch kind {
	case sectionSummary:
		r.readFlags(flags)
		r.skipSummary()
	case sectionNames:
		r.readNameSection(flags)
	case sectionContexts:
		r.readContexts()
	case sectionFunctions:
		r.readFunctions()
	case sectionSymbols:
		r.readSymbols()
	case sectionMetadata:
		r.readMetadata(flags)
	default:
		r.rest = nil
	}
	if len(r.rest) > 0 {
		r.fail("data after the end of a section")
	}
}

// unpack decompresses the section at the cursor.
func (r *binaryReader) unpack(s *section, left *int) {
	if s.flags&flagCompressed == 0 || len(r.rest) == 0 {
		return
	}
	size := r.uleb()
	packed := r.bytes(r.uleb())
	if size > uint64(len(packed))*deflateRatio || size > uint64(*left) {
		r.err = parse.Exceeded("sections that are more than %d times as long as what they are packed into", parse.MaxExpansion)
		return
	}
	*left -= int(size)
	z, err := zlib.NewReader(bytes.NewReader(packed))
	data := make([]byte, size)
	if err == nil {
		_, err = io.ReadFull(z, data)
	}
	if err != nil {
		r.fail(fmt.Sprintf("a compressed section: %v", err))
		return
	}
	r.cursor = newCursor(data, 0)
}

func (r *binaryReader) readFlags(flags uint64) {
	p := r.profile
	p.Partial = flags&flagPartial != 0
	p.Calling = flags&flagCalling != 0
	p.FlowStages = flags&flagFlowStages != 0
	p.PreInlined = flags&flagPreInlined != 0
	r.types = flags&flagTypes != 0
}

// readNameSection reads a table of names. A second table replaces the first, and no table has the order of all names.
func (r *binaryReader) readNameSection(flags uint64) {
	second := r.names != nil
	r.names = nil
	switch {
	case flags&flagFixedGUIDs != 0:
		r.readGUIDs(r.uint64)
	case flags&flagGUIDs != 0:
		r.readGUIDs(r.uleb)
	default:
		r.readNames()
	}
	r.profile.UniqueNames = r.profile.ranking != nil && flags&flagUniqueNames != 0
	if second {
		r.profile.ranking = nil
	}
}

func (r *binaryReader) readGUIDs(read func() uint64) {
	r.profile.ranking = ranking{}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		name := nameOfGUID(read())
		r.profile.ranking[name] = len(r.names)
		r.names = append(r.names, name)
	}
}

func (r *binaryReader) readContexts() {
	r.contexts = nil
	for n := r.count(); n > 0 && r.err == nil; n-- {
		depth := r.count()
		if depth == 0 || depth > maxInlined {
			r.fail("a context without frames, or with too many")
			return
		}
		frames := make([]Frame, 0, depth)
		for range depth {
			frames = append(frames, Frame{r.name(), r.location()})
		}
		r.contexts = append(r.contexts, frames)
	}
}

func (r *binaryReader) readFunctions() {
	for len(r.rest) > 0 {
		r.readTop()
	}
}

func (r *binaryReader) readSymbols() {
	r.profile.Symbols = append(r.profile.Symbols, []string{}...)
	for len(r.rest) > 0 {
		r.profile.Symbols = append(r.profile.Symbols, r.text())
	}
}

// readMetadata reads checksums and attributes. Functions without samples are skipped.
func (r *binaryReader) readMetadata(flags uint64) {
	r.profile.Probes = flags&flagProbes != 0
	r.profile.sort()
	all := map[string]*Function{}
	for _, f := range r.profile.Functions {
		all[f.contextText()] = f
	}
	for len(r.rest) > 0 {
		r.readMetadataOf(all[r.function().contextText()], flags, 0)
	}
}

func (r *binaryReader) readMetadataOf(f *Function, flags uint64, depth int) {
	if f == nil {
		f = &Function{}
	}
	if flags&flagProbes != 0 {
		f.Checksum = r.uleb()
	}
	if flags&flagAttributes != 0 {
		f.Attributes = r.uleb()
	}
	if r.profile.Calling {
		return
	}
	if depth > maxInlined {
		r.fail("inlined functions that are too deep")
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		at := r.location()
		r.readMetadataOf(r.profile.call(f, at, r.name()), flags, depth+1)
	}
}

// call returns the inlined call of a function at a location, or nil. The calls are sorted.
func (r ranking) call(f *Function, at Location, name string) *Function {
	i, ok := slices.BinarySearchFunc(f.Calls, Call{at, &Function{Name: name}}, r.compareCalls)
	if !ok {
		return nil
	}
	return f.Calls[i].Function
}
