package llvm

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/debuginfo"
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
		c.buildID = debuginfo.BuildID(p)
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

var errOtherProgram = errors.New("it is another build than the one that wrote the profile: their build ids differ")

// checkBuildID returns an error if none of the profile's ids is the build id of the program.
func (c *correlation) checkBuildID(ids [][]byte) error {
	if c.buildID == nil || len(ids) == 0 ||
		slices.ContainsFunc(ids, func(id []byte) bool { return bytes.Equal(id, c.buildID) }) {
		return nil
	}
	return errOtherProgram
}

// In the debug information each function has a variable __profc_NAME at the address of its counters. Annotations of
// the variable have the other fields of the record. See llvm/lib/ProfileData/InstrProfCorrelator.cpp.
const (
	tagAnnotation    = dwarf.Tag(0x6000) // DW_TAG_LLVM_annotation
	countersPrefix   = "__profc_"
	annotationName   = "Function Name"
	annotationHash   = "CFG Hash"
	annotationNumber = "Num Counters"
)

// readDebugInfo lists the functions in the debug information of a program.
func readDebugInfo(p *elf.File, counters uint64) (*correlation, error) {
	if p.Section(".debug_info") == nil && p.Section(".zdebug_info") == nil {
		return nil, errors.New("it has no debug information: it was built without -g, or stripped")
	}
	d, err := p.DWARF()
	if err != nil {
		return nil, fmt.Errorf("its debug information: %w", err)
	}
	a := annotationReader{data: d, entries: d.Reader(), file: p, counters: counters, found: &correlation{}}
	if err := a.readAnnotations(); err != nil {
		return nil, fmt.Errorf("its debug information: %w", err)
	}
	if len(a.found.functions) == 0 {
		return nil, errors.New("its debug information has no counters: build it with -g -mllvm -profile-correlate=debug-info")
	}
	return a.found, nil
}

type annotationReader struct {
	data      *dwarf.Data
	entries   *dwarf.Reader
	file      *elf.File
	counters  uint64 // address of the section of counters
	addresses []byte // content of .debug_addr
	base      int64  // offset in addresses of the unit's part
	found     *correlation
}

func (a *annotationReader) readAnnotations() error {
	if s := a.file.Section(".debug_addr"); s != nil && s.Size <= maxProgramSection {
		a.addresses, _ = s.Data() // only indexed locations need it
	}
	for {
		e, err := a.entries.Next()
		if e == nil || err != nil {
			return err
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		switch {
		case e.Tag == dwarf.TagCompileUnit:
			a.base, _ = e.Val(dwarf.AttrAddrBase).(int64)
		case e.Tag == dwarf.TagVariable && e.Children && strings.HasPrefix(name, countersPrefix):
			if err := a.readCounterVariable(e); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
}

// readCounterVariable reads the annotations of a function's counters. Counters that the linker removed have no address
// and are skipped.
func (a *annotationReader) readCounterVariable(e *dwarf.Entry) error {
	location, _ := e.Val(dwarf.AttrLocation).([]byte)
	address, placed := a.decodeLocation(location)
	f := correlatedFunction{offset: address - a.counters}
	name := ""
	for {
		child, err := a.entries.Next()
		if err != nil {
			return err
		}
		if child == nil || child.Tag == 0 {
			break
		}
		what, _ := child.Val(dwarf.AttrName).(string)
		number, _ := child.Val(dwarf.AttrConstValue).(int64)
		switch {
		case child.Tag != tagAnnotation:
		case what == annotationName:
			name, _ = child.Val(dwarf.AttrConstValue).(string)
		case what == annotationHash:
			f.hash = uint64(number)
		case what == annotationNumber:
			f.counters = uint32(number)
		}
		if child.Children {
			a.entries.SkipChildren()
		}
	}
	if name != "" && f.counters > 0 && placed {
		f.reference = disk.NameRef(name)
		a.found.names = append(a.found.names, name)
		a.found.functions = append(a.found.functions, f)
	}
	return nil
}

// decodeLocation decodes DW_OP_addr with an address, or DW_OP_addrx with an index in ULEB128.
func (a *annotationReader) decodeLocation(location []byte) (address uint64, ok bool) {
	const opAddr, opAddrx, width = 0x03, 0xa1, 8
	read := a.file.ByteOrder.Uint64
	switch {
	case len(location) == 1+width && location[0] == opAddr:
		return read(location[1:]), true
	case len(location) > 1 && location[0] == opAddrx:
		index := uint64(0)
		for i, b := range location[1:] {
			index |= uint64(b&0x7f) << min(7*i, 63)
		}
		at := uint64(a.base) + index*width
		if at+width < at || at+width > uint64(len(a.addresses)) {
			return 0, false
		}
		return read(a.addresses[at:]), true
	}
	return 0, false
}
