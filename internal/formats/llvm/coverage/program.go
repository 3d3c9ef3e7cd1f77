package coverage

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// sections has the parts of a program for coverage. A linked program has one section of each kind, an object file can
// have many.
type sections struct {
	order                 binary.ByteOrder
	covmap, covfun, names []byteSection
}

type byteSection struct {
	data []byte
	at   int64 // offset in the concatenated sections of its kind
}

// sectionsNamed selects the list of a section's name in ELF and Mach-O, or in PE.
func (s *sections) sectionsNamed(name string) *[]byteSection {
	switch name {
	case "__llvm_covmap", ".lcovmap":
		return &s.covmap
	case "__llvm_covfun", ".lcovfun":
		return &s.covfun
	case "__llvm_prf_names", ".lprfn":
		return &s.names
	}
	return nil
}

// A section is a section of any object format.
type section struct {
	name string
	size uint64
	open io.Reader
}

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
	s, err := readSections(io.NewSectionReader(r, 0, size), size)
	switch {
	case errors.Is(err, errUnknown):
		return nil, &Error{Program: name, Kind: ErrNotProgram}
	case err != nil:
		return nil, &Error{Program: name, Kind: ErrNotProgram, Detail: err.Error()}
	}
	if len(s.covmap) == 0 || len(s.covfun) == 0 {
		return nil, &Error{Program: name, Kind: ErrNoMapping}
	}
	return newMapping(name, s)
}

// errUnknown is returned for a file without the magic of an object format.
var errUnknown = errors.New("unknown format")

// readSections reads the sections of a program. The standard library's readers of object files can panic on damaged
// files.
func readSections(r *io.SectionReader, size int64) (s *sections, err error) {
	defer func() {
		if p := recover(); p != nil {
			s = nil
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil {
		return nil, errUnknown
	}
	list, order, err := listSections(r, magic[:])
	if err != nil {
		return nil, err
	}
	s = &sections{order: order}
	return s, s.readData(list, size)
}

// listSections returns the sections of an object file, without their data.
func listSections(r io.ReaderAt, magic []byte) ([]section, binary.ByteOrder, error) {
	var list []section
	switch {
	case string(magic) == elf.ELFMAG:
		f, err := elf.NewFile(r)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range f.Sections {
			if s.Flags&elf.SHF_COMPRESSED == 0 && s.Type != elf.SHT_NOBITS {
				list = append(list, section{s.Name, s.FileSize, s.Open()})
			}
		}
		return list, f.ByteOrder, nil
	case isMachOMagic(magic):
		f, err := machoFile(r, magic)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range f.Sections {
			list = append(list, section{s.Name, s.Size, s.Open()})
		}
		return list, f.ByteOrder, nil
	}
	f, err := pe.NewFile(r)
	if err != nil && string(magic[:2]) != "MZ" {
		return nil, nil, errUnknown
	}
	if err != nil {
		return nil, nil, err
	}
	for _, s := range f.Sections {
		name, _, _ := strings.Cut(s.Name, "$") // the rest is a sort key for the linker
		size := s.Size
		if s.VirtualSize > 0 {
			size = min(size, s.VirtualSize) // the rest fills a page
		}
		list = append(list, section{name, uint64(size), s.Open()})
	}
	return list, binary.LittleEndian, nil
}

func isMachOMagic(magic []byte) bool {
	le := binary.LittleEndian.Uint32(magic)
	be := binary.BigEndian.Uint32(magic)
	known := []uint32{macho.Magic32, macho.Magic64, macho.MagicFat}
	return slices.Contains(known, le) || slices.Contains(known, be)
}

// machoFile opens a Mach-O file. For a file with several architectures it opens the first one with a mapping, because
// all have the same lines.
func machoFile(r io.ReaderAt, magic []byte) (*macho.File, error) {
	if binary.BigEndian.Uint32(magic) != macho.MagicFat {
		return macho.NewFile(r)
	}
	fat, err := macho.NewFatFile(r)
	if err != nil {
		return nil, err
	}
	for _, a := range fat.Arches {
		if a.Section("__llvm_covmap") != nil {
			return a.File, nil
		}
	}
	return fat.Arches[0].File, nil
}

// readData reads the sections for coverage. If these are larger than the file, some of them overlap, which is an
// error.
func (s *sections) readData(list []section, size int64) error {
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
			at = (*into)[n-1].at + int64(len((*into)[n-1].data))
		}
		*into = append(*into, byteSection{data, at})
	}
	return nil
}
