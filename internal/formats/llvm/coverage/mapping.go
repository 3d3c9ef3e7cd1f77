package coverage

import (
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/object"
	"github.com/profarc/profarc/internal/formats/parse"
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
	for _, one := range s.Covfun {
		if err := m.readRecords(one); err != nil {
			return nil, err
		}
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
