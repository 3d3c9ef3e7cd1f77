// Package bytecode decodes the bytecodes of a method, from a class file or in the form that a VM has rewritten. It
// computes their sizes, the code id, and the profile points that HotSpot's MethodData has for them.
package bytecode

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
)

// An Instruction is one bytecode of a method in its plain form. It has the opcode of the class file, with the variable
// or constant of a short form moved to a field.
type Instruction struct {
	Bci   int
	Op    byte // opcode; ILoad for iload_0 to iload_3, SiPush for iconst_m1 to sipush, and so on
	Local int  // local variable, if it has one
	// Value is the constant of SiPush, LConst0, FConst0 or DConst0, the increment of IInc, the dimensions of
	// MultiANewArray, or the type of NewArray.
	Value int64
	Name  Name
	// Targets are bytecode indices, of a switch the default's and then its cases'. Labels are the values of the cases.
	Targets []int
	Labels  []int32
}

type Name = methodcode.Name

// Opcodes that represent groups of short forms.
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

// Instructions decodes the bytecodes of a method. name returns the name in an operand of a bytecode, which is raw in
// code and java in the class file. ok is false if the bytes are not bytecodes, or if name fails.
func Instructions(code []byte, name func(raw, java byte, operand []byte) (Name, bool)) (list []Instruction, ok bool) {
	for at := 0; at < len(code); {
		java, from, size := operandsAt(code, at)
		if size == 0 {
			return nil, false
		}
		i := Instruction{Bci: at, Op: java}
		if operands := code[at+1 : at+size]; HasConstant(java) {
			i.Name, ok = name(code[at], java, operands)
			if !ok {
				return nil, false
			}
			if java == MultiANewArray {
				i.Value = int64(operands[2])
			}
		} else {
			i.decodeOperands(operands, code[from:at+size])
		}
		list = append(list, i)
		at += size
	}
	return list, true
}

func DecodeAt(code []byte, at int) (i Instruction, ok bool) {
	java, from, size := operandsAt(code, at)
	if size == 0 {
		return i, false
	}
	i = Instruction{Bci: at, Op: java}
	if !HasConstant(java) {
		i.decodeOperands(code[at+1:at+size], code[from:at+size])
	}
	return i, true
}

func HasConstant(java byte) bool {
	pool, _ := operandSizes(java)
	return pool > 0
}

func (i *Instruction) decodeOperands(unaligned, aligned []byte) {
	switch java := i.Op; {
	case java >= iconstM1 && java < LConst0:
		i.Op = SiPush
		i.Value = int64(java) - iconstM1 - 1
	case java >= LConst0 && java < FConst0:
		i.Op = LConst0
		i.Value = int64(java) - LConst0
	case java >= FConst0 && java < DConst0:
		i.Op = FConst0
		i.Value = int64(java) - FConst0
	case java >= DConst0 && java < BiPush:
		i.Op = DConst0
		i.Value = int64(java) - DConst0
	case java == BiPush:
		i.Op, i.Value = SiPush, int64(int8(unaligned[0]))
	case java == SiPush:
		i.Value = int64(int16(binary.BigEndian.Uint16(unaligned)))
	case java >= iload0 && java <= aload3:
		i.Op = ILoad + (java-iload0)/4
		i.Local = int(java-iload0) % 4
	case java >= istore0 && java <= astore3:
		i.Op = IStore + (java-istore0)/4
		i.Local = int(java-istore0) % 4
	case java >= ILoad && java <= ALoad, java >= IStore && java <= AStore, java == Ret:
		i.Local = int(unaligned[0])
	case java == IInc:
		i.Local, i.Value = int(unaligned[0]), int64(int8(unaligned[1]))
	case java == Wide:
		i.decodeWide(unaligned)
	case java == NewArray:
		i.Value = int64(unaligned[0])
	default:
		i.Targets = branchTargets(java, aligned, i.Bci)
		i.Labels = switchLabels(java, aligned)
		if java == GotoW || java == JsrW {
			i.Op = java - GotoW + Goto
		}
	}
}

func (i *Instruction) decodeWide(operands []byte) {
	i.Op, i.Local = operands[0], int(binary.BigEndian.Uint16(operands[1:]))
	if i.Op == IInc {
		i.Value = int64(int16(binary.BigEndian.Uint16(operands[3:])))
	}
}

// switchLabels returns the values of a switch's cases. A tableswitch has one for each value from low to high, a
// lookupswitch has pairs of a value and a target.
func switchLabels(java byte, operands []byte) (list []int32) {
	switch java {
	case TableSwitch:
		low := int32(signedWord(operands, 4))
		for n := range (len(operands) - 12) / 4 {
			list = append(list, low+int32(n))
		}
	case LookupSwitch:
		for at := 8; at+8 <= len(operands); at += 8 {
			list = append(list, int32(signedWord(operands, at)))
		}
	}
	return list
}

func (i *Instruction) Kind() methodcode.PointKind { return pointKindOf(i.Op) }

// Constants is a constant pool of a class file or VM. ok is false if the constant has another kind or is damaged.
type Constants interface {
	Class(i uint16) (name string, ok bool)
	// Member returns the name of a field or method reference.
	Member(i uint16) (n Name, ok bool)
	Dynamic(i uint16) (n Name, ok bool)
	// Value returns a number or string as text, see Integer, Decimal and Text.
	Value(i uint16) (text string, ok bool)
}

func NameAt(java byte, i uint16, c Constants) (n Name, ok bool) {
	switch {
	case java >= GetStatic && java <= InvokeInterface:
		return c.Member(i)
	case java == InvokeDynamic:
		return c.Dynamic(i)
	case java == Ldc || java == LdcW || java == Ldc2W:
		return loadedConstant(i, c), true
	}
	n.Class, ok = c.Class(i)
	return n, ok
}

// loadedConstant returns the constant that a bytecode loads. Method handles, types and dynamic ones have no name.
func loadedConstant(i uint16, c Constants) (n Name) {
	if class, ok := c.Class(i); ok {
		return Name{Name: ConstantText(class)}
	}
	text, _ := c.Value(i)
	return Name{Name: text}
}

// DecimalText returns the text of a float or double in HotSpot's format.
func DecimalText(f float64) string { return strconv.FormatFloat(f, 'f', 6, 64) }

const maxText = 100

// ConstantText returns the text of a string, or of the name of a class with dots for slashes. One placeholder replaces
// all texts that producers print differently.
func ConstantText(s string) string {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '\\' || c == '"' || c == '\'' {
			return anyText
		}
	}
	if len(s) > maxText {
		return anyText
	}
	return strings.ReplaceAll(s, "/", ".")
}

// anyText replaces texts that producers print differently.
const anyText = "\"\""

// A Listing computes the code id of a method from its printed instructions. The zero value is an empty listing.
type Listing struct {
	normal []byte
	next   int // bci of the next instruction
	bad    bool
}

// Add adds the next instruction. java is its opcode in the class file, which the short forms in i replace.
func (l *Listing) Add(java byte, i *Instruction) {
	pool, rest := operandSizes(java)
	size := 1 + pool + rest
	cases := len(i.Labels)
	switch java {
	case TableSwitch:
		size = 4 - i.Bci%4 + 12 + 4*cases
	case LookupSwitch:
		size = 4 - i.Bci%4 + 8 + 8*cases
	}
	l.bad = l.bad || i.Bci != l.next || java == Wide || java == TableSwitch && cases == 0
	l.next = i.Bci + size
	if !l.bad {
		l.normal = i.appendOperands(append(l.normal, java), java)
	}
}

// appendOperands appends the operands without the index of a constant.
func (i *Instruction) appendOperands(b []byte, java byte) []byte {
	order := binary.BigEndian
	switch _, rest := operandSizes(java); {
	case java == TableSwitch:
		b = order.AppendUint32(b, i.distance(0))
		b = order.AppendUint32(b, uint32(i.Labels[0]))
		b = order.AppendUint32(b, uint32(i.Labels[len(i.Labels)-1]))
		for n := range i.Labels {
			b = order.AppendUint32(b, i.distance(n+1))
		}
	case java == LookupSwitch:
		b = order.AppendUint32(b, i.distance(0))
		b = order.AppendUint32(b, uint32(len(i.Labels)))
		for n, label := range i.Labels {
			b = order.AppendUint32(order.AppendUint32(b, uint32(label)), i.distance(n+1))
		}
	case java == InvokeInterface:
		b = append(b, argumentSlots(i.Name.Descriptor), 0)
	case java == IInc:
		b = append(b, byte(i.Local), byte(i.Value))
	case rest == 4:
		b = order.AppendUint32(b, i.distance(0))
	case java == SiPush:
		b = order.AppendUint16(b, uint16(i.Value))
	case rest == 2:
		b = order.AppendUint16(b, uint16(i.distance(0)))
	case java == BiPush, java == NewArray, java == MultiANewArray:
		b = append(b, byte(i.Value))
	case rest == 1:
		b = append(b, byte(i.Local))
	}
	return b
}

func (i *Instruction) distance(target int) uint32 { return uint32(i.Targets[target] - i.Bci) }

// argumentSlots returns the number of stack slots of the arguments of a call, with its receiver.
func argumentSlots(descriptor string) (slots byte) {
	parameters, _ := javanames.SplitParameters(descriptor)
	slots = 1
	for _, p := range parameters {
		slots++
		if p == "J" || p == "D" {
			slots++
		}
	}
	return slots
}

// ID returns the code id, or 0 if an instruction is missing or its operands are not printed. See [CodeID].
func (l *Listing) ID() uint64 {
	if l.bad || len(l.normal) == 0 {
		return 0
	}
	return max(xxhash.Sum64(l.normal), 1)
}
