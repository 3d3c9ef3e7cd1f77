package llvm

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
)

// A program that was built with -profile-correlate writes its counters alone: which function they are of is in the
// program, in sections that are not loaded (binary) or in its debug information (debug-info). The place of a counter
// within the section of counters is the same in both.

// Sections of a program: llvm/ProfileData/InstrProfData.inc.
const (
	sectionCounters = "__llvm_prf_cnts"
	sectionData     = "__llvm_covdata"
	sectionNames    = "__llvm_covnames"
)

// maxProgramSection is the most bytes of a section that is read of a program.
const maxProgramSection = 1 << 30

// A correlation is what a program knows of the functions that a raw profile has counters of.
type correlation struct {
	functions []correlated
	names     []string
	buildID   []byte // nil if the program has none
}

// A correlated is a function: its NameRef, its hash, and where its first counter is in the section, in bytes.
type correlated struct {
	reference, hash, offset uint64
	counters                uint32
}

// correlate makes records of the functions of a program, as a raw profile has them.
func (m *rawModule) correlate() error {
	c, err := m.find()
	if err != nil {
		return m.fault(ErrCorrelated, m.dataAt, err.Error())
	}
	m.names = newNameIndex(c.names)
	m.h.countersDelta = 0
	seen := make(map[uint64]bool, len(c.functions))
	for _, f := range c.functions {
		if !seen[f.offset] { // of an inline function several objects have a record
			m.data = append(m.data, m.recordOf(f, m.h.records)...)
			m.h.records++
		}
		seen[f.offset] = true
	}
	return nil
}

// recordOf returns record i: a function without values, whose counters are at its place.
func (m *rawModule) recordOf(f correlated, i uint64) []byte {
	record := make([]byte, m.l.size)
	m.machine.put64(record, f.reference)
	m.machine.put64(record[8:], f.hash)
	if m.h.version >= rawRelative {
		f.offset -= i * m.l.size
	}
	if m.machine.pointer == 4 {
		m.machine.put32(record[m.l.counters:], uint32(f.offset))
	} else {
		m.machine.put64(record[m.l.counters:], f.offset)
	}
	m.machine.put32(record[m.l.numCounters:], f.counters)
	return record
}

// A programReader reads what a program knows of its functions. counters is the address of its section of counters.
type programReader func(p *elf.File, counters uint64) (*correlation, error)

// correlationOf reads the first of some programs that the module may be of.
func (m *rawModule) correlationOf(paths []string, read programReader) (c *correlation, err error) {
	for _, path := range paths {
		c, err = openProgram(path, read)
		if err == nil {
			err = c.check(m.ids)
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
		return nil, fmt.Errorf("no program in ELF: %w", err)
	}
	defer p.Close()
	counters := p.Section(sectionCounters)
	if counters == nil {
		return nil, fmt.Errorf("it has no section %s: name the program that wrote the profile, as it was built",
			sectionCounters)
	}
	c, err := read(p, counters.Addr)
	if err == nil {
		c.buildID = buildID(p)
	}
	return c, err
}

// readSections reads the sections of data and names of a program. Records are as in raw profiles, but for the place of
// the counters, which is an address.
func (m *rawModule) readSections(p *elf.File, counters uint64) (*correlation, error) {
	data, err := programSection(p, sectionData)
	if err != nil {
		return nil, err
	}
	packed, err := programSection(p, sectionNames)
	if err != nil {
		return nil, err
	}
	c := &correlation{}
	c.names, err = SplitNames(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sectionNames, err)
	}
	if uint64(len(data))%m.l.size != 0 {
		return nil, fmt.Errorf("%s: %d bytes are no records of %d, as version %d of raw profiles has them", sectionData,
			len(data), m.l.size, m.h.version)
	}
	for ; len(data) > 0; data = data[m.l.size:] {
		c.functions = append(c.functions, correlated{m.machine.u64(data), m.machine.u64(data[8:]),
			m.h.wrapAddress(m.machine.readPointer(data[m.l.counters:]) - counters), m.machine.u32(data[m.l.numCounters:])})
	}
	return c, nil
}

// programSection reads a section of a program.
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

// buildID returns the build id of a program, nil if it has none. It is a note:
// { u32 name size, u32 size, u32 3, "GNU\0", id }.
func buildID(p *elf.File) []byte {
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

// check returns an error if a profile is of another build of the program.
func (c *correlation) check(ids [][]byte) error {
	if c.buildID == nil || len(ids) == 0 {
		return nil
	}
	for _, id := range ids {
		if bytes.Equal(id, c.buildID) {
			return nil
		}
	}
	return errOtherProgram
}
