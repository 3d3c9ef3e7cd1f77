package llvm

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
)

// A program built with -profile-correlate writes counters without the records of its functions. It has the
// records in sections that are not loaded (binary) or in its debug information (debug-info). Both give each function's
// offset in the section of counters.

// Section names, from llvm/ProfileData/InstrProfData.inc.
const (
	sectionCounters = "__llvm_prf_cnts"
	sectionData     = "__llvm_covdata"
	sectionNames    = "__llvm_covnames"

	sectionProfileNames = "__llvm_prf_names" // names that the program writes into its profile
)

// maxProgramSection is the maximum size in bytes of a section that is read from a program.
const maxProgramSection = 1 << 30

// A correlation lists the functions of a program.
type correlation struct {
	functions []correlatedFunction
	names     []string
	buildID   []byte // nil for a program without a build id
}

// A correlated is one function, with the offset in bytes of its first counter in the section of counters.
type correlatedFunction struct {
	reference, hash, offset uint64
	counters                uint32
}

// correlate creates the function records of a module from its program, in the form of raw profiles.
func (m *rawModule) correlate() error {
	c, err := m.find()
	if err != nil {
		return m.newError(ErrCorrelated, m.dataAt, err.Error())
	}
	m.names = newNameIndex(c.names)
	m.h.countersDelta = 0
	seen := make(map[uint64]bool, len(c.functions))
	for _, f := range c.functions {
		if !seen[f.offset] { // copies of an inline function share their counters
			m.data = append(m.data, m.recordOf(f, m.h.records)...)
			m.h.records++
		}
		seen[f.offset] = true
	}
	return nil
}

// recordOf encodes f as record i, without value sites.
func (m *rawModule) recordOf(f correlatedFunction, i uint64) []byte {
	record := make([]byte, m.l.size)
	m.machine.PutUint64(record, f.reference)
	m.machine.PutUint64(record[8:], f.hash)
	if m.h.version >= rawRelative {
		f.offset -= i * m.l.size
	}
	if m.machine.pointer == 4 {
		m.machine.PutUint32(record[m.l.counters:], uint32(f.offset))
	} else {
		m.machine.PutUint64(record[m.l.counters:], f.offset)
	}
	m.machine.PutUint32(record[m.l.numCounters:], f.counters)
	return record
}

// A programReader lists the functions of a program. counters is the address of the section of counters.
type programReader func(p *elf.File, counters uint64) (*correlation, error)

// correlationOf reads the first program that matches the build ids of the module.
func (m *rawModule) correlationOf(paths []string, read programReader) (c *correlation, err error) {
	for _, path := range paths {
		c, err = openProgram(path, read)
		if err == nil {
			err = c.checkBuildID(m.ids)
		}
		if err == nil {
			return c, nil
		}
		err = fmt.Errorf("%s: %w", path, err)
	}
	return nil, err
}

func openProgram(path string, read programReader) (*correlation, error) {
	p, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("no program in ELF, the only format that is read (llvm-profdata merge reads those of Windows "+
			"and macOS): %w", err)
	}
	defer p.Close()
	counters := p.Section(sectionCounters)
	if counters == nil {
		return nil, fmt.Errorf("it has no section %s: name the program that wrote the profile, as it was built",
			sectionCounters)
	}
	c, err := read(p, counters.Addr)
	if err == nil {
		c.buildID = readBuildID(p)
	}
	return c, err
}

// readSections reads the data and names sections of a program. The records equal those in raw profiles, except that
// the pointer to the counters is an address.
func (m *rawModule) readSections(p *elf.File, counters uint64) (*correlation, error) {
	data, errData := programSection(p, sectionData)
	packed, errPacked := programSection(p, sectionNames)
	if err := cmp.Or(errData, errPacked); err != nil {
		return nil, err
	}
	names, err := SplitNames(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sectionNames, err)
	}
	if uint64(len(data))%m.l.size != 0 {
		return nil, fmt.Errorf("%s: %d bytes are no records of %d, as version %d of raw profiles has them", sectionData,
			len(data), m.l.size, m.h.version)
	}
	c := &correlation{names: names}
	for ; len(data) > 0; data = data[m.l.size:] {
		c.functions = append(c.functions, correlatedFunction{m.machine.Uint64(data), m.machine.Uint64(data[8:]),
			m.h.wrapAddress(m.machine.readPointer(data[m.l.counters:]) - counters), m.machine.Uint32(data[m.l.numCounters:])})
	}
	return c, nil
}

func programSection(p *elf.File, name string) ([]byte, error) {
	s := p.Section(name)
	switch {
	case s == nil:
		return nil, fmt.Errorf("it has no section %s: build it with -mllvm -profile-correlate=binary, and do not strip it",
			name)
	case s.Size > maxProgramSection:
		return nil, fmt.Errorf("section %s has %d bytes, more than %d", name, s.Size, maxProgramSection)
	}
	b, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", name, err)
	}
	return b, nil
}

// readBuildID returns the build id of a program, or nil. It is a note: { u32 name size, u32 size, u32 3, "GNU\0", id }.
func readBuildID(p *elf.File) []byte {
	const head, name = 12, "GNU\x00"
	s := p.Section(".note.gnu.build-id")
	if s == nil || s.Size > disk.PageSize {
		return nil
	}
	b, err := s.Data()
	if err != nil || len(b) < head+len(name) || !bytes.Equal(b[head:head+len(name)], []byte(name)) {
		return nil
	}
	size := uint64(p.ByteOrder.Uint32(b[4:]))
	return b[head+len(name):][:min(size, uint64(len(b)-head-len(name)))]
}

var errOtherProgram = errors.New("it is another build than the one that wrote the profile: their build ids differ")

// checkBuildID returns an error if none of the profile's ids is the build id of the program.
func (c *correlation) checkBuildID(ids [][]byte) error {
	if c.buildID == nil || len(ids) == 0 ||
		slices.ContainsFunc(ids, func(id []byte) bool { return bytes.Equal(id, c.buildID) }) {
		return nil
	}
	return errOtherProgram
}
