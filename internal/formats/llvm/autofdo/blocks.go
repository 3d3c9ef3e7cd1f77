package autofdo

import (
	"cmp"
	"debug/elf"
	"slices"
)

// An instruction is an instruction of the program.
type instruction struct {
	start, end uint64
	flow
}

// addBounds notes where functions begin. Instructions are decoded from one to the next.
func (p *Program) addBounds(symbols []elf.Symbol) {
	for _, s := range symbols {
		if p.codeAt(s.Value) != nil && int(s.Section) < len(p.file.Sections) && s.Section != elf.SHN_UNDEF {
			p.bounds = append(p.bounds, s.Value)
		}
	}
	for _, f := range p.functions {
		p.bounds = append(p.bounds, f.start)
	}
	slices.Sort(p.bounds)
	p.bounds = slices.Compact(p.bounds)
}

// blockOf returns the instructions between two bounds around an address.
func (p *Program) blockOf(address uint64) []instruction {
	i, found := slices.BinarySearch(p.bounds, address)
	if !found {
		i--
	}
	if i < 0 {
		return nil
	}
	if block, ok := p.blocks[i]; ok {
		return block
	}
	at := p.bounds[i]
	code := p.codeAt(at)
	if i+1 < len(p.bounds) {
		code = code[:min(uint64(len(code)), p.bounds[i+1]-at)]
	}
	var block []instruction
	for len(code) > 0 {
		size, next := p.decode(code)
		if size > 0 {
			block = append(block, instruction{at, at + size, next})
		}
		size = max(size, 1)
		at += size
		code = code[size:]
	}
	p.blocks[i] = block
	return block
}

func (i instruction) compareStart(address uint64) int { return cmp.Compare(i.start, address) }

// instructionAt returns the instruction at an address. It returns false for other addresses.
func (p *Program) instructionAt(address uint64) (i instruction, ok bool) {
	block := p.blockOf(address)
	at, ok := slices.BinarySearchFunc(block, address, instruction.compareStart)
	if ok {
		i = block[at]
	}
	return i, ok
}

// hasNoFrame reports whether a function has no stack frame at an address: at its first two instructions, at a return
// and at the instruction before it.
func (p *Program) hasNoFrame(address uint64) bool {
	i, _ := p.instructionAt(address)
	next, _ := p.instructionAt(i.end)
	if i.flow == flowReturn || next.flow == flowReturn {
		return true
	}
	r := p.rangeOf(address)
	if r == nil {
		return false
	}
	first, _ := p.instructionAt(r.start)
	return address == r.start || address == first.end
}

// isStraight reports whether the program can run from one instruction to another without a branch.
func (p *Program) isStraight(first, last uint64) bool {
	at := first
	for at < last {
		i, ok := p.instructionAt(at)
		if !ok || i.flow != flowOn {
			return false
		}
		at = i.end
	}
	_, ok := p.instructionAt(at)
	return ok && at == last
}
