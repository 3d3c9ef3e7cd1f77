package bytecode

import "encoding/binary"

// An Instruction is one bytecode of a method in its plain form: as the class file
// has it, with the numbers of local variables and constants that short forms have
// in their opcodes.
type Instruction struct {
	Bci   int
	Op    byte  // of iload_0 to iload_3 ILoad, of iconst_m1 to sipush SiPush, and so on
	Local int   // local variable, of those that name one
	Value int64 // constant, of SiPush, LConst0, FConst0, DConst0; increment, of IInc; dimensions, of MultiANewArray; type, of NewArray
	// Name is what an operand names.
	Name Name
	// Targets are where it may go, as bcis: one of a branch or jump; of a switch
	// the default and the cases in order. Labels are the values of the cases.
	Targets []int
	Labels  []int32
}

// A Name is what a constant of the pool names, in any class and any run.
type Name struct {
	// Class holds the field or method, or is the class itself; empty of
	// invokedynamic and of constants.
	Class string
	// Name and Descriptor are those of the field, method or dynamic constant. Of
	// other constants that are loaded Name is the value as text.
	Name, Descriptor string
}

// Opcodes that stand for groups of short forms.
const (
	AConstNull = 1
	iconstM1   = 2
	LConst0    = 9
	FConst0    = 11
	DConst0    = 14
	LLoad      = 22
	FLoad      = 23
	DLoad      = 24
	LStore     = 55
	FStore     = 56
	DStore     = 57
	iload0     = 26
	aload3     = 45
	istore0    = 59
	astore3    = 78
)

// Instructions decodes the bytecodes of a method. name says what the operand of a
// bytecode names, given the bytecode as it stands in code, the same as the class
// file has it, and its operand. ok is false if the bytes are not bytecodes, or if
// a name is not known.
func Instructions(code []byte, name func(raw, java byte, operand []byte) (Name, bool)) (list []Instruction, ok bool) {
	for at := 0; at < len(code); {
		java, from, size := operandsAt(code, at)
		if size == 0 {
			return nil, false
		}
		i := Instruction{Bci: at, Op: java}
		if operands := code[at+1 : at+size]; hasName(java) {
			if i.Name, ok = name(code[at], java, operands); !ok {
				return nil, false
			}
			if java == MultiANewArray {
				i.Value = int64(operands[2])
			}
		} else {
			i.plain(operands, code[from:at+size])
		}
		list = append(list, i)
		at += size
	}
	return list, true
}

// hasName reports whether a bytecode has an index into the constant pool.
func hasName(java byte) bool {
	pool, _ := operands(java)
	return pool > 0
}

// plain fills in the operands of a bytecode without a name. unaligned are its
// operands with the bytes that align a switch, aligned without.
func (i *Instruction) plain(unaligned, aligned []byte) {
	switch java := i.Op; {
	case java >= iconstM1 && java < LConst0:
		i.Op, i.Value = SiPush, int64(java)-iconstM1-1
	case java >= LConst0 && java < FConst0:
		i.Op, i.Value = LConst0, int64(java)-LConst0
	case java >= FConst0 && java < DConst0:
		i.Op, i.Value = FConst0, int64(java)-FConst0
	case java >= DConst0 && java < BiPush:
		i.Op, i.Value = DConst0, int64(java)-DConst0
	case java == BiPush:
		i.Op, i.Value = SiPush, int64(int8(unaligned[0]))
	case java == SiPush:
		i.Value = int64(int16(binary.BigEndian.Uint16(unaligned)))
	case java >= iload0 && java <= aload3:
		i.Op, i.Local = ILoad+(java-iload0)/4, int(java-iload0)%4
	case java >= istore0 && java <= astore3:
		i.Op, i.Local = IStore+(java-istore0)/4, int(java-istore0)%4
	case java >= ILoad && java <= ALoad, java >= IStore && java <= AStore, java == Ret:
		i.Local = int(unaligned[0])
	case java == IInc:
		i.Local, i.Value = int(unaligned[0]), int64(int8(unaligned[1]))
	case java == Wide:
		i.wide(unaligned)
	case java == NewArray:
		i.Value = int64(unaligned[0])
	default:
		i.Targets = targets(java, aligned, i.Bci)
		i.Labels = labels(java, aligned)
		if java == GotoW || java == JsrW {
			i.Op = java - GotoW + Goto
		}
	}
}

// wide takes the operands behind a wide.
func (i *Instruction) wide(operands []byte) {
	i.Op, i.Local = operands[0], int(binary.BigEndian.Uint16(operands[1:]))
	if i.Op == IInc {
		i.Value = int64(int16(binary.BigEndian.Uint16(operands[3:])))
	}
}

// labels are the values of a switch's cases. A tableswitch has one for each value
// from low to high, a lookupswitch pairs of a value and a target.
func labels(java byte, operands []byte) (list []int32) {
	switch java {
	case TableSwitch:
		low := int32(word(operands, 4))
		for n := range (len(operands) - 12) / 4 {
			list = append(list, low+int32(n))
		}
	case LookupSwitch:
		for at := 8; at+8 <= len(operands); at += 8 {
			list = append(list, int32(word(operands, at)))
		}
	}
	return list
}

// Kind is what MethodData records at the bytecode.
func (i *Instruction) Kind() PointKind { return kindOf(i.Op) }
