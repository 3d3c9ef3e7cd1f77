package program

import (
	"encoding/binary"
	"math"

	"github.com/profarc/profarc/internal/jvm/bytecode"
	"github.com/profarc/profarc/internal/jvm/classfile"
)

// instructions decodes a method of a class file.
func instructions(c *classfile.File, code []byte) ([]bytecode.Instruction, bool) {
	return bytecode.Instructions(code, func(_, java byte, operand []byte) (bytecode.Name, bool) {
		index := uint16(operand[0])
		if java != bytecode.Ldc {
			index = binary.BigEndian.Uint16(operand)
		}
		return bytecode.NameAt(java, index, constants{c})
	})
}

// constants are those of a class file.
type constants struct{ c *classfile.File }

func (p constants) Class(i uint16) (string, bool) {
	name, err := p.c.Class(i)
	return name, err == nil
}

func (p constants) Member(i uint16) (bytecode.Name, bool) {
	m, err := p.c.Member(i)
	return bytecode.Name{Class: m.Class, Name: m.Name, Descriptor: m.Signature}, err == nil
}

func (p constants) Dynamic(i uint16) (n bytecode.Name, ok bool) {
	if int(i) >= len(p.c.Pool) || p.c.Pool[i].Tag != classfile.TagInvoke {
		return n, false
	}
	name, descriptor, err := p.c.NameType(binary.BigEndian.Uint16(p.c.Pool[i].Data[2:]))
	return bytecode.Name{Name: name, Descriptor: descriptor}, err == nil
}

func (p constants) Value(i uint16) (text string, ok bool) {
	if int(i) >= len(p.c.Pool) {
		return "", false
	}
	data := p.c.Pool[i].Data
	switch p.c.Pool[i].Tag {
	case classfile.TagInteger:
		return bytecode.Integer(int64(int32(binary.BigEndian.Uint32(data)))), true
	case classfile.TagLong:
		return bytecode.Integer(int64(binary.BigEndian.Uint64(data))), true
	case classfile.TagFloat:
		return bytecode.Decimal(float64(math.Float32frombits(binary.BigEndian.Uint32(data)))), true
	case classfile.TagDouble:
		return bytecode.Decimal(math.Float64frombits(binary.BigEndian.Uint64(data))), true
	case classfile.TagString:
		text, err := p.c.Text(binary.BigEndian.Uint16(data))
		return bytecode.Text(text), err == nil
	}
	return "", false
}
