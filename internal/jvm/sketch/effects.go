package sketch

import (
	"strings"

	"github.com/profarc/profarc/internal/jvm/bytecode"
)

// Opcodes that need a name here.
const (
	iALoad, aALoad     = 46, 50
	pop, pop2          = 87, 88
	dup, dup2X2        = 89, 94
	swap               = 95
	iAdd, dMul         = 96, 107
	sub, firstDiv      = 100, 104
	iAnd, lXor         = 126, 131
	lCmp               = 148
	fCmpL, fCmpG       = 149, 150
	dCmpL, dCmpG       = 151, 152
	ifICmpEq, ifACmpNe = 159, 166
	arrayLength        = 190
)

// effects are what bytecodes take from the operand stack and put on it, where the
// opcode alone says so: J and D are values of two slots.
var effects = func() (table [202]string) {
	set := func(from int, list ...string) { copy(table[from:], list) }
	set(0, ">", ">A")
	set(bytecode.LConst0, ">J", ">J", ">F", ">F", ">F", ">D", ">D")
	set(bytecode.SiPush, ">I")
	set(iALoad, "AI>I", "AI>J", "AI>F", "AI>D", "AI>A", "AI>I", "AI>I", "AI>I")
	set(79, "AII>", "AIJ>", "AIF>", "AID>", "AIA>", "AII>", "AII>", "AII>")
	for op := iAdd; op < 116; op += 4 {
		set(op, "II>I", "JJ>J", "FF>F", "DD>D")
	}
	set(116, "I>I", "J>J", "F>F", "D>D")
	set(120, "II>I", "JI>J", "II>I", "JI>J", "II>I", "JI>J", "II>I", "JJ>J", "II>I", "JJ>J", "II>I", "JJ>J")
	set(133, "I>J", "I>F", "I>D", "J>I", "J>F", "J>D", "F>I", "F>J", "F>D", "D>I", "D>J", "D>F", "I>I", "I>I", "I>I")
	set(lCmp, "JJ>I", "FF>I", "FF>I", "DD>I", "DD>I")
	set(bytecode.IfEq, "I>", "I>", "I>", "I>", "I>", "I>", "II>", "II>", "II>", "II>", "II>", "II>", "AA>", "AA>", ">")
	set(bytecode.TableSwitch, "I>", "I>", "I>", "J>", "F>", "D>", "A>", ">")
	set(bytecode.New, ">A", "I>A", "I>A", "A>I", "A>", "A>A", "A>I", "A>", "A>")
	set(bytecode.IfNull, "A>", "A>")
	return table
}()

// effectOf is what a bytecode takes from the operand stack and puts on it; empty
// of those that move values about.
func effectOf(in *bytecode.Instruction) string {
	descriptor := in.Name.Descriptor
	switch op := in.Op; {
	case op == bytecode.GetStatic:
		return ">" + kindOf(descriptor)
	case op == bytecode.PutStatic:
		return kindOf(descriptor) + ">"
	case op == bytecode.GetField:
		return "A>" + kindOf(descriptor)
	case op == bytecode.PutField:
		return "A" + kindOf(descriptor) + ">"
	case op == bytecode.InvokeStatic, op == bytecode.InvokeDynamic:
		return callEffect(descriptor)
	case op >= bytecode.InvokeVirtual && op <= bytecode.InvokeInterface:
		return "A" + callEffect(descriptor)
	case op == bytecode.MultiANewArray:
		return strings.Repeat("I", int(in.Value)) + ">A"
	case op == bytecode.Ldc, op == bytecode.LdcW:
		return ">A"
	case op == bytecode.Ldc2W:
		return ">J"
	case int(op) < len(effects):
		return effects[op]
	}
	return ""
}

// kindOf is the kind of a value of a type.
func kindOf(descriptor string) string {
	switch {
	case descriptor == "" || descriptor[0] == 'V':
		return ""
	case descriptor[0] == 'L' || descriptor[0] == '[':
		return "A"
	case strings.IndexByte("JDF", descriptor[0]) >= 0:
		return descriptor[:1]
	}
	return "I"
}

// maxArguments bounds the arguments of a call.
const maxArguments = 255

// callEffect takes the arguments of a method's descriptor and puts its result.
func callEffect(descriptor string) string {
	var b strings.Builder
	arguments, result, _ := strings.Cut(strings.TrimPrefix(descriptor, "("), ")")
	for arguments != "" {
		if b.Len() > maxArguments {
			return ""
		}
		b.WriteString(kindOf(arguments))
		element := strings.TrimLeft(arguments, "[")
		if _, rest, ok := strings.Cut(element, ";"); ok && element[0] == 'L' {
			arguments = rest
		} else {
			arguments = element[min(1, len(element)):]
		}
	}
	return b.String() + ">" + kindOf(result)
}
