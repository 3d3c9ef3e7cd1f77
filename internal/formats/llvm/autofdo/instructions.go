package autofdo

import (
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// A flow tells where a program runs after an instruction.
type flow uint8

const (
	flowOn flow = iota // next instruction, or target of a conditional jump
	flowJump
	flowCall
	flowReturn
)

// A decodeFunc decodes the instruction that code begins with. Its size is 0 if it is invalid.
type decodeFunc func(code []byte) (size uint64, next flow)

var decoders = map[elf.Machine]decodeFunc{elf.EM_X86_64: decodeX86, elf.EM_AARCH64: decodeARM}

// decodeARM decodes an instruction of AArch64: B, BL, BR, BLR and RET leave.
func decodeARM(code []byte) (size uint64, next flow) {
	const width = 4
	if len(code) < width {
		return 0, flowOn
	}
	switch word := binary.LittleEndian.Uint32(code); {
	case word&0xfc000000 == 0x94000000, word&0xfffffc1f == 0xd63f0000:
		next = flowCall
	case word&0xfffffc1f == 0xd65f0000:
		next = flowReturn
	case word&0xfc000000 == 0x14000000, word&0xfffffc1f == 0xd61f0000:
		next = flowJump
	}
	return width, next
}

func decodeX86(code []byte) (size uint64, next flow) {
	if size, ok := sizeOfVector(code); ok && size <= uint64(len(code)) {
		return size, flowOn
	}
	instruction, err := x86asm.Decode(code, 64)
	if err != nil || instruction.Op == 0 { // it returns the first prefix of an invalid instruction
		return 0, flowOn
	}
	switch instruction.Op {
	case x86asm.CALL, x86asm.LCALL:
		next = flowCall
	case x86asm.RET, x86asm.LRET:
		next = flowReturn
	case x86asm.JMP, x86asm.LJMP:
		next = flowJump
	}
	return uint64(instruction.Len), next
}

// Opcode maps of x86, with the numbers that VEX and EVEX prefixes have for them.
const (
	map0F = iota + 1
	map0F38
	map0F3A
)

// x86Prefixes has the legacy prefixes. Those with the high digit 4 are REX.
const x86Prefixes = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3"

// sizeOfVector returns the size of an instruction with a VEX or EVEX prefix, of the maps 0F 38 and 0F 3A, and of
// ENDBR64: x86asm does not know all of them. They have prefixes, an opcode, operands with an address, and maybe an
// immediate byte.
func sizeOfVector(code []byte) (size uint64, ok bool) {
	prefixes := slices.IndexFunc(code, func(b byte) bool {
		return b&0xf0 != 0x40 && strings.IndexByte(x86Prefixes, b) < 0
	})
	if prefixes < 0 {
		return 0, false
	}
	c := slices.Concat(code[prefixes:min(len(code), prefixes+8)], make([]byte, 8))
	opcodes := map0F
	at := 0 // index of the opcode
	switch {
	case c[0] == 0xc5:
		at = 2
	case c[0] == 0xc4:
		at = 3
		opcodes = int(c[1] & 0x1f)
	case c[0] == 0x62:
		at = 4
		opcodes = int(c[1] & 7)
	case c[0] == 0x0f && (c[1] == 0x01 || c[1] == 0x1e):
		at = 1
	case c[0] == 0x0f && (c[1] == 0x38 || c[1] == 0x3a):
		at = 2
		opcodes = map0F38 + int(c[1]>>1&1)
	default:
		return 0, false
	}
	size = uint64(prefixes+at+1) + operandsSize(c[at+1:])
	switch {
	case opcodes == map0F && c[at] == 0x77: // VZEROUPPER has no operands
		size = uint64(prefixes + at + 1)
	case opcodes == map0F3A, opcodes == map0F && strings.IndexByte("\x70\x71\x72\x73\xc2\xc4\xc5\xc6", c[at]) >= 0:
		size++
	}
	return size, true
}

// operandsSize returns the size of the bytes ModRM and SIB, and of the displacement of an address.
func operandsSize(c []byte) uint64 {
	mode := c[0] >> 6
	base := c[0] & 7
	size := uint64(1)
	if mode < 3 && base == 4 {
		base = c[1] & 7
		size++
	}
	if mode == 2 || mode == 0 && base == 5 {
		size += 4
	}
	if mode == 1 {
		size++
	}
	return size
}
