// Package disassembly lists the instructions of functions in compiled programs, with their source lines.
package disassembly

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"

	"github.com/profarc/profarc/internal/system/debuginfo"
)

// ErrNoFunction is returned if the symbol table of a program lacks a function.
var ErrNoFunction = errors.New("the program has no code of this function alone: it is inlined into all its callers, " +
	"or the program is another one")

// A Program is an ELF file for amd64 or arm64. It is safe for concurrent use.
type Program struct {
	file      *elf.File
	functions []elf.Symbol // sorted by address

	mu    sync.Mutex  // guards lines, which caches what it has read
	lines *dwarf.Data // nil without debug information
}

// An Instruction is a machine instruction. Line is 0 if its source line is unknown.
type Instruction struct {
	Address uint64
	Text    string // in the syntax of GNU
	File    string
	Line    int
}

// Open opens a program. Without debug information its instructions have no source lines.
func Open(path string) (*Program, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: assembly is shown of ELF programs: %w", path, err)
	}
	p := &Program{file: f}
	if f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64 {
		return nil, errors.Join(fmt.Errorf("%s: assembly is shown of amd64 and arm64, not of %s", path, f.Machine), f.Close())
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: the program is stripped: name one with symbols: %w", path, err), f.Close())
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			p.functions = append(p.functions, s)
		}
	}
	slices.SortFunc(p.functions, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	p.lines, _ = f.DWARF()
	return p, nil
}

// BuildID returns the build id of GNU in hexadecimal digits, or "" if the program has none.
func (p *Program) BuildID() string { return hex.EncodeToString(debuginfo.BuildID(p.file)) }

// Close closes the program's file.
func (p *Program) Close() { _ = p.file.Close() }

// Function returns the first max instructions of a function, and whether it has more.
func (p *Program) Function(symbol string, max int) (list []Instruction, more bool, err error) {
	at := slices.IndexFunc(p.functions, func(s elf.Symbol) bool {
		return s.Name == symbol || s.Name == symbol+".abi0" // Go's name of a function that is written in assembly
	})
	if at < 0 {
		return nil, false, ErrNoFunction
	}
	code, err := p.codeOf(p.functions[at])
	if err != nil {
		return nil, false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.linesFrom(p.functions[at])
	for pc := p.functions[at].Value; len(code) > 0; {
		if len(list) == max {
			return list, true, nil
		}
		text, size := p.decode(code, pc)
		file, line := next(pc)
		list = append(list, Instruction{pc, text, file, line})
		code, pc = code[size:], pc+uint64(size)
	}
	return list, false, nil
}

// codeOf returns the machine code of a function.
func (p *Program) codeOf(f elf.Symbol) ([]byte, error) {
	if int(f.Section) >= len(p.file.Sections) {
		return nil, fmt.Errorf("function %s is in section %d of %d", f.Name, f.Section, len(p.file.Sections))
	}
	s := p.file.Sections[f.Section]
	if f.Value < s.Addr || f.Value-s.Addr > s.Size || f.Size > s.Size-(f.Value-s.Addr) {
		return nil, fmt.Errorf("function %s is outside section %s", f.Name, s.Name)
	}
	code := make([]byte, f.Size)
	_, err := s.ReadAt(code, int64(f.Value-s.Addr))
	return code, err
}

// decode returns the first instruction of code at an address, and its size.
func (p *Program) decode(code []byte, pc uint64) (text string, size int) {
	if p.file.Machine == elf.EM_AARCH64 {
		size = min(4, len(code))
		inst, err := arm64asm.Decode(code)
		if err != nil {
			return undecoded(code[:size]), size
		}
		return arm64asm.GNUSyntax(inst), size
	}
	inst, err := x86asm.Decode(code, 64)
	if err != nil || inst.Len == 0 {
		return undecoded(code[:1]), 1
	}
	return x86asm.GNUSyntax(inst, pc, p.symbolAt), inst.Len
}

func undecoded(code []byte) string { return fmt.Sprintf(".byte % x", code) }

// symbolAt returns the function with an address, and the function's own address.
func (p *Program) symbolAt(pc uint64) (string, uint64) {
	s, ok := debuginfo.SymbolAt(p.functions, pc)
	if !ok {
		return "", 0
	}
	return s.Name, s.Value
}

// linesFrom returns a function that returns the source lines of ascending addresses in f.
func (p *Program) linesFrom(f elf.Symbol) func(pc uint64) (string, int) {
	none := func(uint64) (string, int) { return "", 0 }
	if p.lines == nil {
		return none
	}
	unit, err := p.lines.Reader().SeekPC(f.Value)
	if err != nil {
		return none
	}
	rows, err := p.lines.LineReader(unit)
	var row dwarf.LineEntry
	if err != nil || rows == nil || rows.SeekPC(f.Value, &row) != nil {
		return none
	}
	var following dwarf.LineEntry
	err = rows.Next(&following)
	return func(pc uint64) (string, int) {
		for err == nil && following.Address <= pc {
			row = following
			err = rows.Next(&following)
		}
		if errors.Is(err, io.EOF) || row.EndSequence || row.File == nil {
			return "", 0
		}
		return row.File.Name, row.Line
	}
}
