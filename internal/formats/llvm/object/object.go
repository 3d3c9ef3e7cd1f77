// Package object reads the sections that LLVM's instrumentation adds to programs, libraries, object files and static
// libraries, in the formats ELF, Mach-O and PE.
package object

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/system/lists"
)

// Sections has the sections of a program with profile data. A linked program has one section of each kind, an object
// file can have many.
type Sections struct {
	Order          binary.ByteOrder
	Covmap, Covfun []Section // coverage mapping
	Data           []Section // records of functions
	Names          []Section // names of functions
	// RawVersion is the version word of the program's raw profiles, with its variant; 0 if its symbol is missing.
	RawVersion uint64
	HasSymbols bool // the program has a symbol table
	IsPart     bool // an object file or static library, which has a part of a program
}

// A Section is a section of a program.
type Section struct {
	Data []byte
	At   int64 // offset in the concatenated sections of its kind
}

// sectionsNamed selects the list of a section's name in ELF and Mach-O, or in PE.
func (s *Sections) sectionsNamed(name string) *[]Section {
	switch name {
	case "__llvm_covmap", ".lcovmap":
		return &s.Covmap
	case "__llvm_covfun", ".lcovfun":
		return &s.Covfun
	case "__llvm_prf_data", ".lprfd", "__llvm_covdata", ".lcovd":
		return &s.Data
	case "__llvm_prf_names", ".lprfn", "__llvm_covnames", ".lcovn":
		return &s.Names
	}
	return nil
}

// An entry is a section of any object format, before it is read.
type entry struct {
	name string
	size uint64
	open io.Reader
}

// ErrUnknown is returned for a file without the magic of an object format.
var ErrUnknown = errors.New("unknown format")

// Read reads the sections of a program of size bytes. The error matches ErrUnknown for a file of another kind.
func Read(r io.ReaderAt, size int64) (*Sections, error) {
	s := &Sections{}
	magic := make([]byte, len(archiveMagic))
	if _, err := r.ReadAt(magic, 0); err != nil {
		return nil, ErrUnknown
	}
	switch {
	case string(magic) == archiveMagic:
		return s, s.readArchive(r, size)
	case string(magic) == "!<thin>\n":
		return nil, errors.New("it is a thin static library, which only lists object files: name the linked program")
	case string(magic[:4]) == "BC\xc0\xde":
		return nil, errors.New("it is bitcode for link-time optimization: name the linked program")
	}
	return s, s.readObject(io.NewSectionReader(r, 0, size), size)
}

// readObject adds the sections of an object file. The standard library's readers of object files can panic on damaged
// files.
func (s *Sections) readObject(r *io.SectionReader, size int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil {
		return ErrUnknown
	}
	list, order, err := s.listSections(r, magic[:])
	if err != nil {
		return err
	}
	s.Order = order
	return s.readData(list, size)
}

// listSections returns the sections of an object file, without their data.
func (s *Sections) listSections(r io.ReaderAt, magic []byte) ([]entry, binary.ByteOrder, error) {
	var list []entry
	switch {
	case string(magic) == elf.ELFMAG:
		f, err := elf.NewFile(r)
		if err != nil {
			return nil, nil, err
		}
		for _, one := range f.Sections {
			if one.Flags&elf.SHF_COMPRESSED == 0 && one.Type != elf.SHT_NOBITS {
				list = append(list, entry{one.Name, one.FileSize, one.Open()})
			}
		}
		s.IsPart = s.IsPart || f.Type == elf.ET_REL
		s.readELFVersion(f)
		return list, f.ByteOrder, nil
	case isMachOMagic(magic):
		all, err := openMachO(r, magic)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range all {
			for _, one := range f.Sections {
				list = append(list, entry{one.Name, one.Size, one.Open()})
			}
			s.IsPart = s.IsPart || f.Type == macho.TypeObj
			s.readMachOVersion(f)
		}
		return list, all[0].ByteOrder, nil
	}
	f, err := pe.NewFile(r)
	if err != nil && string(magic[:2]) != "MZ" {
		return nil, nil, ErrUnknown
	}
	if err != nil {
		return nil, nil, err
	}
	for _, one := range f.Sections {
		name, _, _ := strings.Cut(one.Name, "$") // the rest is a sort key for the linker
		size := one.Size
		if one.VirtualSize > 0 {
			size = min(size, one.VirtualSize) // the rest fills a page
		}
		list = append(list, entry{name, uint64(size), one.Open()})
	}
	s.IsPart = s.IsPart || f.OptionalHeader == nil
	s.readPEVersion(f)
	return list, binary.LittleEndian, nil
}

func isMachOMagic(magic []byte) bool {
	le := binary.LittleEndian.Uint32(magic)
	be := binary.BigEndian.Uint32(magic)
	known := []uint32{macho.Magic32, macho.Magic64, macho.MagicFat}
	return slices.Contains(known, le) || slices.Contains(known, be)
}

// openMachO opens a Mach-O file with its architectures. These can have other hashes of a function.
func openMachO(r io.ReaderAt, magic []byte) (all []*macho.File, err error) {
	if binary.BigEndian.Uint32(magic) != macho.MagicFat {
		f, err := macho.NewFile(r)
		return []*macho.File{f}, err
	}
	fat, err := macho.NewFatFile(r)
	if err != nil {
		return nil, err
	}
	return lists.Map(fat.Arches, func(a macho.FatArch) *macho.File { return a.File }), nil
}

// readData reads the sections with profile data. If these are larger than the file, some of them overlap, which is an
// error.
func (s *Sections) readData(list []entry, size int64) error {
	left := size
	for _, one := range list {
		into := s.sectionsNamed(one.name)
		if into == nil || one.size == 0 {
			continue
		}
		if one.size > uint64(left) {
			return fmt.Errorf("section %s of %d bytes in a file of %d", one.name, one.size, size)
		}
		left -= int64(one.size)
		data := make([]byte, one.size)
		if _, err := io.ReadFull(one.open, data); err != nil {
			return fmt.Errorf("section %s: %w", one.name, err)
		}
		at := int64(0)
		if n := len(*into); n > 0 {
			at = (*into)[n-1].At + int64(len((*into)[n-1].Data))
		}
		*into = append(*into, Section{data, at})
	}
	return nil
}

// A static library is a list of members of even length. Each has a header of 60 bytes with its name at 0 and its size
// in decimal digits at 48. In the form of BSD, the name follows the header, and the size includes it.
const (
	archiveMagic  = "!<arch>\n"
	memberHeader  = 60
	memberSizeAt  = 48
	memberSizeEnd = 58
)

// readArchive adds the sections of all object files in a static library.
func (s *Sections) readArchive(r io.ReaderAt, size int64) error {
	objects := 0
	for at := int64(len(archiveMagic)); at+memberHeader <= size; {
		var header [memberHeader]byte
		if _, err := r.ReadAt(header[:], at); err != nil {
			return err
		}
		at += memberHeader
		length, err := strconv.ParseInt(strings.TrimSpace(string(header[memberSizeAt:memberSizeEnd])), 10, 64)
		if err != nil || length < 0 || length > size-at {
			return fmt.Errorf("a member of a static library at byte %d has no valid size", at-memberHeader)
		}
		skip := int64(0)
		if digits, ok := strings.CutPrefix(strings.TrimSpace(string(header[:16])), "#1/"); ok {
			skip, err = strconv.ParseInt(digits, 10, 64)
			if err != nil || skip < 0 || skip > length {
				return fmt.Errorf("a member of a static library at byte %d has no valid name", at-memberHeader)
			}
		}
		err = s.readObject(io.NewSectionReader(r, at+skip, length-skip), length-skip)
		switch {
		case err == nil:
			objects++
		case !errors.Is(err, ErrUnknown): // an index, a list of names, or bitcode
			return err
		}
		at += length + length%2
	}
	if objects == 0 {
		return fmt.Errorf("a static library without object files: link-time optimization leaves bitcode in it: name the " +
			"linked program")
	}
	return nil
}

// versionSymbol is the variable with the version word of raw profiles. Instrumented IR defines it in each object file,
// the runtime library in the others.
const versionSymbol = "__llvm_profile_raw_version"

func (s *Sections) readELFVersion(f *elf.File) {
	symbols, err := f.Symbols()
	s.HasSymbols = s.HasSymbols || err == nil && len(symbols) > 0
	for _, one := range symbols {
		if one.Name == versionSymbol && int(one.Section) > 0 && int(one.Section) < len(f.Sections) {
			section := f.Sections[one.Section]
			s.setVersion(section, one.Value-section.Addr, f.ByteOrder)
		}
	}
}

func (s *Sections) readMachOVersion(f *macho.File) {
	if f.Symtab == nil {
		return
	}
	s.HasSymbols = s.HasSymbols || len(f.Symtab.Syms) > 0
	for _, one := range f.Symtab.Syms {
		if one.Name == "_"+versionSymbol && int(one.Sect) > 0 && int(one.Sect) <= len(f.Sections) {
			section := f.Sections[one.Sect-1]
			s.setVersion(section, one.Value-section.Addr, f.ByteOrder)
		}
	}
}

func (s *Sections) readPEVersion(f *pe.File) {
	s.HasSymbols = s.HasSymbols || len(f.Symbols) > 0
	for _, one := range f.Symbols {
		if one.Name == versionSymbol && one.SectionNumber > 0 && int(one.SectionNumber) <= len(f.Sections) {
			s.setVersion(f.Sections[one.SectionNumber-1], uint64(one.Value), binary.LittleEndian)
		}
	}
}

// setVersion reads the version word at an offset in a section. An undefined one is 0.
func (s *Sections) setVersion(section io.ReaderAt, at uint64, order binary.ByteOrder) {
	var word [8]byte
	if at > 1<<40 {
		return
	}
	if _, err := section.ReadAt(word[:], int64(at)); err == nil {
		s.RawVersion = max(s.RawVersion, order.Uint64(word[:]))
	}
}
