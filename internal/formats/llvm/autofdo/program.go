package autofdo

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/system/debuginfo"
)

// A Program is a program or library with its debug information.
type Program struct {
	path      string
	file      *elf.File
	decode    decodeFunc
	functions []*functionRange            // functions by address
	parts     map[string][]*functionRange // parts of functions, by name
	base      uint64                      // start of the code; removed functions are below it
	staged    bool                        // discriminators are flow-sensitive
	sections  []section
	buildID   []byte
	probes    *probes               // nil if the program has none
	bounds    []uint64              // addresses of symbols and functions
	blocks    map[int][]instruction // instructions from a bound to the next
	counts

	// Lost has the losses of counting.
	Lost codec.Losses
}

// A section has code.
type section struct {
	start uint64
	code  []byte
}

// A functionRange is a part of a function. A function can have several parts, for instance a hot and a cold one.
type functionRange struct {
	*debuginfo.Function
	start, end uint64
	isEntry    bool
}

// Open reads the symbols and functions of a program in ELF.
func Open(path string) (p *Program, err error) {
	defer func() {
		if damage := recover(); damage != nil { // the readers of the standard library can panic
			err = fmt.Errorf("%s: damaged: %v", path, damage)
		}
	}()
	file, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: no program in ELF: %w", path, err)
	}
	p = &Program{path: path, file: file, decode: decoders[file.Machine], parts: map[string][]*functionRange{},
		blocks: map[int][]instruction{}, counts: counts{map[[2]uint64]uint64{}, map[[2]uint64]uint64{}, map[uint64]uint64{}}}
	if err := p.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return p, nil
}

// BuildID returns the build id, or nil.
func (p *Program) BuildID() []byte { return p.buildID }

// Close closes the program's file.
func (p *Program) Close() error { return p.file.Close() }

func (p *Program) load() (err error) {
	segment := slices.IndexFunc(p.file.Progs, isCode)
	switch {
	case p.decode == nil || segment < 0:
		return fmt.Errorf("it has no code of x86-64 or AArch64, but of %v", p.file.Machine)
	case p.file.Section(".debug_info") == nil && p.file.Section(".zdebug_info") == nil:
		return errors.New("it has no debug information: build it with -g, or -gmlt -fdebug-info-for-profiling")
	}
	p.base = p.file.Progs[segment].Vaddr &^ 0xfff
	debug, err := p.file.DWARF()
	if err != nil {
		return err
	}
	for _, s := range p.file.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Type == elf.SHT_PROGBITS && s.Name != ".plt" { // which only has jumps
			code, err := s.Data()
			if err != nil {
				return fmt.Errorf("section %s: %w", s.Name, err)
			}
			p.sections = append(p.sections, section{s.Addr, code})
		}
	}
	p.probes, err = p.readProbes()
	if err != nil {
		return err
	}
	p.buildID = debuginfo.BuildID(p.file)
	_ = debuginfo.NewReader(debug).ReadFunctions(p.addFunction) // those before damage remain
	slices.SortStableFunc(p.functions, func(a, b *functionRange) int { return cmp.Compare(a.start, b.start) })
	p.functions = slices.CompactFunc(p.functions, func(a, b *functionRange) bool { return a.start == b.start })
	symbols, err := p.file.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return err
	}
	p.addBounds(symbols)
	for _, s := range symbols {
		p.staged = p.staged || s.Name == "__llvm_fs_discriminator__"
		if r := p.rangeOf(s.Value); r != nil && (len(p.parts[r.Name]) == 1 || debuginfo.CanonicalName(s.Name) == r.Name) {
			r.isEntry = true
		}
	}
	return nil
}

func isCode(s *elf.Prog) bool { return s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 }

// rangeOf returns the part of a function that has an address, or nil.
func (p *Program) rangeOf(address uint64) *functionRange {
	at, found := slices.BinarySearchFunc(p.functions, address, func(r *functionRange, address uint64) int {
		return cmp.Compare(r.start, address)
	})
	if !found {
		at--
	}
	if at < 0 || address >= p.functions[at].end {
		return nil
	}
	return p.functions[at]
}

// entryName returns the name of the function that begins at an address, or "".
func (p *Program) entryName(address uint64) string {
	if p.probes != nil {
		return debuginfo.CanonicalName(p.probes.entries[address])
	}
	if r := p.rangeOf(address); r != nil && r.start == address && r.isEntry {
		return debuginfo.CanonicalName(r.Name)
	}
	return ""
}

// codeAt returns the code from an address to the end of its section, or nil.
func (p *Program) codeAt(address uint64) []byte {
	for _, s := range p.sections {
		if address-s.start < uint64(len(s.code)) {
			return s.code[address-s.start:]
		}
	}
	return nil
}

// Place returns the address in the program of an offset in a file, or 0 if there is no code. It returns false if it is
// another file. An unknown build id is nil.
func (p *Program) Place(file string, buildID []byte, offset uint64) (address uint64, is bool) {
	name := filepath.Base(strings.TrimSuffix(file, " (deleted)"))
	known := len(p.buildID) > 0 && len(buildID) > 0
	if known && !bytes.Equal(p.buildID, buildID) || !known && name != filepath.Base(p.path) {
		return 0, false
	}
	for _, s := range p.file.Progs {
		if isCode(s) && offset-s.Off < s.Filesz {
			return offset - s.Off + s.Vaddr, true
		}
	}
	return 0, true
}
