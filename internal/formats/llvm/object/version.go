package object

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"io"
)

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
