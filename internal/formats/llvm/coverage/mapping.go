package coverage

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/parse"
)

// A Mapping is the coverage mapping of one program. It may be used by several goroutines.
type Mapping struct {
	program string
	order   binary.ByteOrder
	tables  map[uint64][]string // names of files by the hash of their encoded list
	records map[uint64]record   // by NameRef
	refs    []uint64            // NameRefs, as they lie in the program
	names   func() (map[uint64]string, error)
}

// A record is the mapping of one function.
type record struct {
	hash  uint64 // FuncHash
	files uint64 // of the table of files
	data  []byte // encoded
	at    int64  // offset of data in its section
}

// The encoded sizes and versions of sections. The version in a file is one less.
const (
	headerSize    = 16
	recordSize    = 28
	alignment     = 8
	versionOldest = 4
	versionNewest = 7
	sinceFolder   = 6 // the folder of the compilation is the first name
)

// Program returns the name of the file.
func (m *Mapping) Program() string { return m.program }

// newMapping indexes the functions of a program.
func newMapping(program string, s *sections) (*Mapping, error) {
	m := &Mapping{program: program, order: s.order, tables: map[uint64][]string{}, records: map[uint64]record{}}
	budget := m.nameBudget(s.covmap)
	for _, one := range s.covmap {
		if err := m.readTables(one, &budget); err != nil {
			return nil, err
		}
	}
	for _, one := range s.covfun {
		if err := m.readRecords(one); err != nil {
			return nil, err
		}
	}
	m.names = sync.OnceValues(func() (map[uint64]string, error) { return m.readNames(s.names) })
	return m, nil
}

// nameBudget returns how many bytes the names of files may have, unpacked and with their folders.
func (m *Mapping) nameBudget(list []byteSection) int {
	size := 0
	for _, one := range list {
		size += len(one.data)
	}
	return max(parse.FreeExpansion, parse.MaxExpansion*size)
}

func (m *Mapping) malformed(section string, at int64, format string, args ...any) error {
	return &Error{m.program, section, at, ErrMalformed, fmt.Sprintf(format, args...)}
}

// readTables reads the names of the files of all translation units in a section.
func (m *Mapping) readTables(s byteSection, budget *int) error {
	const name = "__llvm_covmap"
	for at := int64(0); at < int64(len(s.data)); at = disk.AlignUp(at, alignment) {
		b := s.data[at:]
		if len(b) < headerSize {
			return m.malformed(name, s.at+at, "a header of %d bytes", len(b))
		}
		functions := m.order.Uint32(b)
		size := m.order.Uint32(b[4:])
		affixed := m.order.Uint32(b[8:])
		version := int64(m.order.Uint32(b[12:])) + 1
		if version < versionOldest || version > versionNewest {
			return &Error{m.program, name, s.at + at, ErrVersion,
				fmt.Sprintf("version %d; %d to %d are read, of LLVM 11 and later", version, versionOldest, versionNewest)}
		}
		b = b[headerSize:]
		if functions != 0 || affixed != 0 || uint64(size) > uint64(len(b)) {
			return m.malformed(name, s.at+at, "a translation unit of %d functions and %d + %d bytes, where %d are left",
				functions, size, affixed, len(b))
		}
		hash := hashOf(b[:size])
		if _, known := m.tables[hash]; !known {
			names, err := readFiles(b[:size], version >= sinceFolder, budget)
			if err != nil {
				return m.malformed(name, s.at+at+headerSize, "%v", err)
			}
			m.tables[hash] = names
		}
		at += headerSize + int64(size)
	}
	return nil
}

// hashOf returns the hash that functions refer to a list of files by.
func hashOf(b []byte) uint64 {
	sum := md5.Sum(b)
	return binary.LittleEndian.Uint64(sum[:])
}

// readFiles returns the names of the files of a translation unit.
func readFiles(b []byte, folder bool, budget *int) ([]string, error) {
	c := cursor{rest: b}
	n := c.number()
	if c.err != nil {
		return nil, c.err
	}
	text, _, err := llvm.NameChunk(c.rest, *budget)
	if err != nil {
		return nil, err
	}
	if n > uint64(len(text)) { // each has its length
		return nil, fmt.Errorf("%d names in %d bytes", n, len(text))
	}
	names := make([]string, 0, n)
	c = cursor{rest: []byte(text)}
	for range n {
		name := string(c.take(c.number()))
		if folder && len(names) > 0 {
			name = inFolder(names[0], name)
		}
		if *budget -= len(name); *budget < 0 {
			return nil, parse.Exceeded("names of files that are more than %d times as long as what they are packed into",
				parse.MaxExpansion)
		}
		names = append(names, name)
	}
	return names, c.err
}

// inFolder returns the path of a file that was compiled in a folder.
func inFolder(folder, name string) string {
	switch {
	case isAbsolute(name):
		return name
	case strings.Contains(folder, `\`) && !strings.Contains(folder, "/"):
		return strings.TrimSuffix(folder, `\`) + `\` + name
	}
	return path.Join(folder, name)
}

// isAbsolute reports whether a path is absolute on the system that it is of.
func isAbsolute(name string) bool {
	drive := len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
	return drive || strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\\`)
}

// readRecords indexes the functions of a section.
func (m *Mapping) readRecords(s byteSection) error {
	const name = "__llvm_covfun"
	for at := int64(0); at < int64(len(s.data)); at = disk.AlignUp(at, alignment) {
		b := s.data[at:]
		if len(b) < recordSize {
			return m.malformed(name, s.at+at, "a function of %d bytes", len(b))
		}
		ref := m.order.Uint64(b)
		size := m.order.Uint32(b[8:])
		r := record{hash: m.order.Uint64(b[12:]), files: m.order.Uint64(b[20:]), at: s.at + at + recordSize}
		b = b[recordSize:]
		if uint64(size) > uint64(len(b)) {
			return m.malformed(name, s.at+at, "a function of %d bytes, where %d are left", size, len(b))
		}
		r.data = b[:size]
		m.add(ref, r)
		at += recordSize + int64(size)
	}
	return nil
}

// add adds a function. Of several with one NameRef the first counts that is not a dummy.
func (m *Mapping) add(ref uint64, r record) {
	old, twice := m.records[ref]
	switch {
	case !twice:
		m.refs = append(m.refs, ref)
	case !old.isDummy() || r.isDummy():
		return
	}
	m.records[ref] = r
}

// isDummy reports whether the record stands for a function that its translation unit has
// and does not use: it has no hash, and one region without a counter.
func (r record) isDummy() bool {
	if r.hash != 0 {
		return false
	}
	c := cursor{rest: r.data}
	files := c.number()
	c.number() // the hash of file names
	expressions := c.number()
	regions := c.number()
	header := c.number()
	return c.err == nil && files == 1 && expressions == 0 && regions == 1 && header&tagMask == tagZero
}

// readNames returns the names of functions by their NameRefs.
func (m *Mapping) readNames(list []byteSection) (map[uint64]string, error) {
	names := map[uint64]string{}
	for _, one := range list {
		start := 0 // PE begins the section with zeros
		for start < len(one.data) && one.data[start] == 0 {
			start++
		}
		part, err := llvm.SplitNames(one.data[start:])
		if err != nil {
			return nil, m.malformed("__llvm_prf_names", one.at, "%v", err)
		}
		for _, name := range part {
			names[disk.NameRef(name)] = name
		}
	}
	return names, nil
}
