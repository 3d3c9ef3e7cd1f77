package coverage

import (
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/object"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/system/lists"
)

// A Mapping is the coverage mapping of one program. It is safe for concurrent use.
type Mapping struct {
	program string
	order   binary.ByteOrder
	tables  map[uint64][]string // file names, by hash of their encoded list
	records map[uint64]record   // function records, by NameRef
	refs    []uint64            // NameRefs in program order
	names   func() (map[uint64]string, error)
}

// A record is the encoded mapping of one function.
type record struct {
	hash  uint64 // FuncHash
	files uint64 // hash of the encoded list of files
	data  []byte // encoded mapping
	at    int64  // section offset of data
}

// Sizes and versions of sections. The encoded version is one less.
const (
	headerSize    = 16
	recordSize    = 28
	alignment     = 8
	versionOldest = 4
	versionNewest = 7
	sinceFolder   = 6 // the first name is the folder of the compilation
)

// Program returns the file name of the program.
func (m *Mapping) Program() string { return m.program }

// Open reads the coverage mapping of a program, library or object file. An error that is not from the system matches
// ErrNotProgram, ErrNoMapping, ErrVersion or ErrMalformed.
func Open(name string) (*Mapping, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would wait for its writer
		return nil, &Error{Program: name, Kind: ErrNotProgram}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(name, f, info.Size())
}

// Read reads the coverage mapping of a program with size bytes, like [Open]. name is for errors.
func Read(name string, r io.ReaderAt, size int64) (*Mapping, error) {
	s, err := object.Read(r, size)
	switch {
	case errors.Is(err, object.ErrUnknown):
		return nil, &Error{Program: name, Kind: ErrNotProgram}
	case err != nil:
		return nil, &Error{Program: name, Kind: ErrNotProgram, Detail: err.Error()}
	}
	return FromSections(name, s)
}

// FromSections reads the coverage mapping in the sections of a program, like [Open].
func FromSections(name string, s *object.Sections) (*Mapping, error) {
	if len(s.Covmap) == 0 || len(s.Covfun) == 0 {
		return nil, &Error{Program: name, Kind: ErrNoMapping}
	}
	return newMapping(name, s)
}

// EachFunction calls yield with the name and hash of each function. A function that its program does not use has no
// code, and no hash.
func (m *Mapping) EachFunction(yield func(name string, hash uint64, used bool)) error {
	names, err := m.names()
	if err != nil {
		return err
	}
	for _, ref := range m.refs {
		if name, ok := names[ref]; ok {
			r := m.records[ref]
			yield(name, r.hash, !r.isDummy())
		}
	}
	return nil
}

func newMapping(program string, s *object.Sections) (*Mapping, error) {
	m := &Mapping{program: program, order: s.Order, tables: map[uint64][]string{}, records: map[uint64]record{}}
	budget := m.nameBudget(s.Covmap)
	for _, one := range s.Covmap {
		if err := m.readTables(one, &budget); err != nil {
			return nil, err
		}
	}
	if err := lists.Each(s.Covfun, m.readRecords); err != nil {
		return nil, err
	}
	m.names = sync.OnceValues(func() (map[uint64]string, error) { return m.readNames(s.Names) })
	return m, nil
}

// nameBudget returns the maximum number of bytes of file names, unpacked and joined with their folders.
func (m *Mapping) nameBudget(list []object.Section) int {
	size := 0
	for _, one := range list {
		size += len(one.Data)
	}
	return max(parse.FreeExpansion, parse.MaxExpansion*size)
}

func (m *Mapping) malformed(section string, at int64, format string, args ...any) error {
	return &Error{m.program, section, at, ErrMalformed, fmt.Sprintf(format, args...)}
}

// readTables reads the file names of all translation units in a section.
func (m *Mapping) readTables(s object.Section, budget *int) error {
	const name = "__llvm_covmap"
	for at := int64(0); at < int64(len(s.Data)); at = disk.AlignUp(at, alignment) {
		b := s.Data[at:]
		if len(b) < headerSize {
			return m.malformed(name, s.At+at, "a header of %d bytes", len(b))
		}
		functions := m.order.Uint32(b)
		size := m.order.Uint32(b[4:])
		affixed := m.order.Uint32(b[8:])
		version := int64(m.order.Uint32(b[12:])) + 1
		if version < versionOldest || version > versionNewest {
			return &Error{m.program, name, s.At + at, ErrVersion,
				fmt.Sprintf("version %d; %d to %d are read, of LLVM 11 and later", version, versionOldest, versionNewest)}
		}
		b = b[headerSize:]
		if functions != 0 || affixed != 0 || uint64(size) > uint64(len(b)) {
			return m.malformed(name, s.At+at, "a translation unit of %d functions and %d + %d bytes, where %d are left",
				functions, size, affixed, len(b))
		}
		hash := fileListHash(b[:size])
		if _, known := m.tables[hash]; !known {
			names, err := readFiles(b[:size], version >= sinceFolder, budget)
			if err != nil {
				return m.malformed(name, s.At+at+headerSize, "%v", err)
			}
			m.tables[hash] = names
		}
		at += headerSize + int64(size)
	}
	return nil
}

func fileListHash(b []byte) uint64 {
	sum := md5.Sum(b)
	return binary.LittleEndian.Uint64(sum[:])
}

// readFiles returns the file names of a translation unit.
func readFiles(b []byte, folder bool, budget *int) ([]string, error) {
	c := cursor{rest: b}
	n := c.readNumber()
	if c.err != nil {
		return nil, c.err
	}
	text, _, err := llvm.NameChunk(c.rest, *budget)
	if err != nil {
		return nil, err
	}
	if n > uint64(len(text)) { // every name has a length byte
		return nil, fmt.Errorf("%d names in %d bytes", n, len(text))
	}
	names := make([]string, 0, n)
	c = cursor{rest: []byte(text)}
	for range n {
		name := string(c.readBytes(c.readNumber()))
		if folder && len(names) > 0 {
			name = joinFolder(names[0], name)
		}
		if *budget -= len(name); *budget < 0 {
			return nil, parse.Exceeded("names of files that are more than %d times as long as what they are packed into",
				parse.MaxExpansion)
		}
		names = append(names, name)
	}
	return names, c.err
}

// joinFolder returns the path of a file compiled in a folder.
func joinFolder(folder, name string) string {
	switch {
	case isAbsolute(name):
		return name
	case strings.Contains(folder, `\`) && !strings.Contains(folder, "/"):
		return strings.TrimSuffix(folder, `\`) + `\` + name
	}
	return path.Join(folder, name)
}

func isAbsolute(name string) bool {
	drive := len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
	return drive || strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\\`)
}

func (m *Mapping) readRecords(s object.Section) error {
	const name = "__llvm_covfun"
	for at := int64(0); at < int64(len(s.Data)); at = disk.AlignUp(at, alignment) {
		b := s.Data[at:]
		if len(b) < recordSize {
			return m.malformed(name, s.At+at, "a function of %d bytes", len(b))
		}
		ref := m.order.Uint64(b)
		size := m.order.Uint32(b[8:])
		r := record{hash: m.order.Uint64(b[12:]), files: m.order.Uint64(b[20:]), at: s.At + at + recordSize}
		b = b[recordSize:]
		if uint64(size) > uint64(len(b)) {
			return m.malformed(name, s.At+at, "a function of %d bytes, where %d are left", size, len(b))
		}
		r.data = b[:size]
		m.addRecord(ref, r)
		at += recordSize + int64(size)
	}
	return nil
}

// addRecord adds a function. If several have a NameRef, the first one that is no dummy wins.
func (m *Mapping) addRecord(ref uint64, r record) {
	old, twice := m.records[ref]
	switch {
	case !twice:
		m.refs = append(m.refs, ref)
	case !old.isDummy() || r.isDummy():
		return
	}
	m.records[ref] = r
}

// isDummy reports whether the record stands for an unused function of its translation unit, which has no hash and one
// region without a counter.
func (r record) isDummy() bool {
	if r.hash != 0 {
		return false
	}
	c := cursor{rest: r.data}
	files := c.readNumber()
	c.readNumber() // the hash of file names
	expressions := c.readNumber()
	regions := c.readNumber()
	header := c.readNumber()
	return c.err == nil && files == 1 && expressions == 0 && regions == 1 && header&tagMask == tagZero
}

func (m *Mapping) readNames(list []object.Section) (map[uint64]string, error) {
	names := map[uint64]string{}
	for _, one := range list {
		if err := llvm.AddNamesByRef(names, one.Data); err != nil {
			return nil, m.malformed("__llvm_prf_names", one.At, "%v", err)
		}
	}
	return names, nil
}

// A regionKind is the kind of a region. The order of kinds breaks ties between regions with the same bounds.
type regionKind uint8

const (
	codeRegion      regionKind = 0
	expansionRegion regionKind = 1
	skippedRegion   regionKind = 2
	gapRegion       regionKind = 3 // text between statements, counted where no other region begins
	branchRegion    regionKind = 4
	decisionRegion  regionKind = 5 // MC/DC
	mcdcRegion      regionKind = 6 // a branch with its condition's position in the decision
)

// A position is a 1-based line and column.
type position struct{ line, column uint32 }

func (p position) isBefore(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// A region is a part of a source file with its counter.
type region struct {
	kind       regionKind
	file       uint32 // index in the files of the function
	expanded   uint32 // expansions: file id of the macro's text
	count      counter
	otherwise  counter // branches: counter of false outcomes
	start, end position
}

type function struct {
	files       []string // names by file id, possibly repeated
	expressions []expression
	regions     []region // sorted by file id and position
}

// The encoding of regions.
const (
	tagMask      = 3
	tagBits      = 2
	tagZero      = 0
	expansionBit = 1 << tagBits
	kindBits     = tagBits + 1
	gapBit       = 1 << 31 // flag in the end column
	wholeLine    = math.MaxUint32
	regionBytes  = 5 // minimum encoded size
)

func decodeFunction(data []byte, files []string) (*function, error) {
	c := &cursor{rest: data}
	f := &function{}
	f.files = make([]string, c.readCount("files", 1))
	for i := range f.files {
		n := c.readNumber()
		if n >= uint64(len(files)) {
			c.fail("file %d of %d", n, len(files))
		}
		if c.err != nil {
			return nil, c.err
		}
		f.files[i] = files[n]
	}
	f.readExpressions(c)
	for file := range f.files {
		f.readRegions(c, uint32(file))
	}
	if len(f.regions) == 0 {
		c.fail("a function without regions")
	}
	if c.err != nil {
		return nil, c.err
	}
	f.countExpansions()
	return f, nil
}

func (f *function) readRegions(c *cursor, file uint32) {
	line := uint64(0)
	for range c.readCount("regions", regionBytes) {
		r := region{file: file}
		f.readHeader(c, &r)
		line += c.readNumber()
		startColumn := c.readNumber()
		lines := c.readNumber()
		endColumn := c.readNumber()
		if line+lines > math.MaxUint32 {
			c.fail("line %d", line+lines)
		}
		if endColumn&gapBit != 0 {
			r.kind = gapRegion
			endColumn = endColumn &^ gapBit
		}
		if startColumn == 0 && endColumn == 0 {
			startColumn, endColumn = 1, wholeLine
		}
		r.start = position{uint32(line), uint32(startColumn)}
		r.end = position{uint32(line + lines), uint32(endColumn)}
		if r.end.isBefore(r.start) {
			c.fail("a region from %d:%d to %d:%d", r.start.line, r.start.column, r.end.line, r.end.column)
		}
		if c.err != nil {
			return
		}
		f.regions = append(f.regions, r)
	}
}

// readHeader decodes the kind and the counter of a region.
func (f *function) readHeader(c *cursor, r *region) {
	header := c.readNumber()
	switch {
	case header&tagMask != tagZero:
		r.count = f.decodeCounter(c, header)
		return
	case header&expansionBit != 0:
		r.kind = expansionRegion
		r.expanded = uint32(header >> kindBits)
		if int(r.expanded) >= len(f.files) {
			c.fail("the expansion of file %d of %d", r.expanded, len(f.files))
		}
		return
	}
	r.kind = regionKind(min(header>>kindBits, math.MaxUint8))
	more := 0
	switch r.kind {
	case codeRegion, skippedRegion:
	case branchRegion, mcdcRegion:
		r.count = f.decodeCounter(c, c.readNumber())
		r.otherwise = f.decodeCounter(c, c.readNumber())
		if r.kind == mcdcRegion {
			more = 3 // ids of the condition and its successors
		}
	case decisionRegion:
		more = 2 // index in the bitmap, number of conditions
	default:
		c.fail("a region of kind %d", header>>kindBits)
	}
	for range more {
		c.readNumber()
	}
}

// mainFile returns the id of the file that is not a macro, or -1.
func (f *function) mainFile() int {
	expanded := make([]bool, len(f.files))
	for _, r := range f.regions {
		if r.kind == expansionRegion {
			expanded[r.expanded] = true
		}
	}
	return slices.Index(expanded, false)
}

// countExpansions gives each expansion the counter of the macro's first region, which can be another expansion.
func (f *function) countExpansions() {
	first := make([]int, len(f.files)) // index + 1 of a file's first region
	for i := len(f.regions) - 1; i >= 0; i-- {
		first[f.regions[i].file] = i + 1
	}
	done := make([]bool, len(f.files))
	var path []int
	for i := range f.regions {
		path = path[:0]
		for at := i; f.regions[at].kind == expansionRegion && !done[f.regions[at].expanded]; {
			r := f.regions[at]
			done[r.expanded] = true
			path = append(path, at)
			if first[r.expanded] == 0 {
				break
			}
			at = first[r.expanded] - 1
		}
		for n := len(path) - 1; n >= 0; n-- {
			if r := &f.regions[path[n]]; first[r.expanded] > 0 {
				r.count = f.regions[first[r.expanded]-1].count
			}
		}
	}
}
