package replay

import (
	"encoding/binary"
	"strings"
)

// Bytecodes that call a method.
const (
	invokeVirtual   = 0xb6
	invokeSpecial   = 0xb7
	invokeStatic    = 0xb8
	invokeInterface = 0xb9
)

// Bytecodes whose size depends on more than themselves.
const (
	tableSwitch  = 0xaa
	lookupSwitch = 0xab
	wide         = 0xc4
	increment    = 0x84
)

const loadConstant = 0x12 // ldc, whose index has one byte

// operandSizes are the sizes in bytes of the operands of bytecodes that have
// any, by ranges.
var operandSizes = []struct {
	from, to byte
	size     int
}{
	{0x10, 0x10, 1}, {0x11, 0x11, 2}, {0x12, 0x12, 1}, {0x13, 0x14, 2}, {0x15, 0x19, 1}, {0x36, 0x3a, 1},
	{0x84, 0x84, 2}, {0x99, 0xa8, 2}, {0xa9, 0xa9, 1}, {0xb2, 0xb8, 2}, {0xb9, 0xba, 4}, {0xbb, 0xbb, 2},
	{0xbc, 0xbc, 1}, {0xbd, 0xbd, 2}, {0xc0, 0xc1, 2}, {0xc5, 0xc5, 3}, {0xc6, 0xc7, 2}, {0xc8, 0xc9, 4},
}

// namesConstant reports whether a bytecode's operand begins with the index of a
// constant that may name a class.
func namesConstant(opcode byte) bool {
	switch opcode {
	case loadConstant, 0x13, 0xbb, 0xbd, 0xc0, 0xc1, 0xc5: // ldc, ldc_w, new, anewarray, checkcast, instanceof, multianewarray
		return true
	}
	return opcode >= 0xb2 && opcode <= invokeInterface // fields and calls
}

// bytecodeSize is the size in bytes of the bytecode at bci; 0 if it is cut off.
func bytecodeSize(code []byte, bci int) int {
	size := 1
	switch opcode := code[bci]; opcode {
	case tableSwitch, lookupSwitch:
		size = switchSize(code, bci)
	case wide:
		size = 4
		if bci+1 < len(code) && code[bci+1] == increment {
			size = 6
		}
	default:
		for _, r := range operandSizes {
			if opcode >= r.from && opcode <= r.to {
				size += r.size
			}
		}
	}
	if size > len(code)-bci {
		return 0
	}
	return size
}

// switchSize is the size of a switch: padding to a multiple of 4, the default,
// and then low, high and their targets, or a number of pairs.
func switchSize(code []byte, bci int) int {
	const none = 1 << 30 // more than any code has
	at := bci&^3 + 4
	if at+12 > len(code) {
		return none
	}
	word := func(i int) int64 { return int64(int32(binary.BigEndian.Uint32(code[at+4*i:]))) }
	words := 2 + 2*word(1)
	if code[bci] == tableSwitch {
		words = 3 + word(2) - word(1) + 1
	}
	if words < 2 || words > none/4 {
		return none
	}
	return at - bci + 4*int(words)
}

// mentioned calls yield with the classes that a method names: in its signature,
// its code, and its handlers.
func (c *classFile) mentioned(m classMethod, yield func(class string)) {
	descriptorClasses(m.signature, yield)
	for _, i := range m.catches {
		c.constantClasses(i, yield)
	}
	for bci, size := 0, 0; bci < len(m.code); bci += size {
		if size = bytecodeSize(m.code, bci); size == 0 {
			return
		}
		switch {
		case m.code[bci] == loadConstant:
			c.constantClasses(uint16(m.code[bci+1]), yield)
		case namesConstant(m.code[bci]):
			c.constantClasses(binary.BigEndian.Uint16(m.code[bci+1:]), yield)
		}
	}
}

// constantClasses calls yield with the classes that a constant names.
func (c *classFile) constantClasses(i uint16, yield func(class string)) {
	if name, err := c.klass(i); err == nil {
		yield(name)
		return
	}
	if k, err := c.member(i); err == nil {
		yield(k.class)
		descriptorClasses(k.signature, yield)
	}
}

// descriptorClasses calls yield with the classes in a descriptor.
func descriptorClasses(descriptor string, yield func(class string)) {
	for descriptor != "" {
		if descriptor[0] != 'L' {
			descriptor = descriptor[1:]
			continue
		}
		class, rest, ok := strings.Cut(descriptor[1:], ";")
		if !ok {
			return
		}
		yield(class)
		descriptor = rest
	}
}

// callAt is the method that the bytecode at a bci calls; ok is false if none is
// called there.
func (c *classFile) callAt(code []byte, bci int) (k methodKey, opcode byte, ok bool) {
	if bci < 0 || bci+3 > len(code) {
		return k, 0, false
	}
	opcode = code[bci]
	if opcode < invokeVirtual || opcode > invokeInterface {
		return k, opcode, false
	}
	k, err := c.member(binary.BigEndian.Uint16(code[bci+1:]))
	return k, opcode, err == nil
}
