package bytecode

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/names/javanames"
)

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
