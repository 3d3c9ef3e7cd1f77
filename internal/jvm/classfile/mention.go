package classfile

import (
	"encoding/binary"
	"strings"

	"github.com/profarc/profarc/internal/jvm/bytecode"
)

// namesConstant reports whether a bytecode's operand begins with the index of a
// constant that may name a class.
func namesConstant(opcode byte) bool {
	switch opcode {
	case bytecode.Ldc, bytecode.LdcW, bytecode.New, bytecode.ANewArray, bytecode.CheckCast, bytecode.InstanceOf, bytecode.MultiANewArray:
		return true
	}
	return opcode >= bytecode.GetStatic && opcode <= bytecode.InvokeInterface // fields and calls
}

// Mentioned calls yield with the classes that a method names: in its signature,
// its code, and its handlers.
func (c *File) Mentioned(m Method, yield func(class string)) {
	descriptorClasses(m.Signature, yield)
	for _, i := range m.Catches {
		c.constantClasses(i, yield)
	}
	for bci, size := 0, 0; bci < len(m.Code); bci += size {
		if size = bytecode.Size(m.Code, bci); size == 0 {
			return
		}
		switch {
		case m.Code[bci] == bytecode.Ldc:
			c.constantClasses(uint16(m.Code[bci+1]), yield)
		case namesConstant(m.Code[bci]):
			c.constantClasses(binary.BigEndian.Uint16(m.Code[bci+1:]), yield)
		}
	}
}

// constantClasses calls yield with the classes that a constant names.
func (c *File) constantClasses(i uint16, yield func(class string)) {
	if name, err := c.Class(i); err == nil {
		yield(name)
		return
	}
	if k, err := c.Called(i); err == nil {
		yield(k.Class)
		descriptorClasses(k.Signature, yield)
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

// CallAt is the method that the bytecode at a bci calls; ok is false if none is
// called there.
func (c *File) CallAt(code []byte, bci int) (m Member, opcode byte, ok bool) {
	if bci < 0 || bci+3 > len(code) {
		return m, 0, false
	}
	opcode = code[bci]
	if opcode < bytecode.InvokeVirtual || opcode > bytecode.InvokeInterface {
		return m, opcode, false
	}
	m, err := c.Called(binary.BigEndian.Uint16(code[bci+1:]))
	return m, opcode, err == nil
}
