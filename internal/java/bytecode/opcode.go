package bytecode

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/java/methodcode"
)

// HotSpot's interpreter replaces some bytecodes by quick forms when it links a class and while it runs. Others keep
// their numbers.

// firstQuick is the first quick form. Quick forms are the same in JDK 17 to 25.
const firstQuick = 203

// breakpoint replaces a bytecode at which a debugger stops.
const breakpoint = 202

var quick = [...]byte{
	GetField, GetField, GetField, GetField, GetField, GetField, GetField, GetField, // fast_{a,b,c,d,f,i,l,s}getfield
	// fast_{a,b,z,c,d,f,i,l,s}putfield
	PutField, PutField, PutField, PutField, PutField, PutField, PutField, PutField, PutField,
	ALoad0,                 // fast_aload_0
	ALoad0, ALoad0, ALoad0, // fast_{i,a,f}access_0
	ILoad, ILoad, ILoad, // fast_iload, fast_iload2, fast_icaload
	InvokeVirtual,              // fast_invokevfinal
	LookupSwitch, LookupSwitch, // fast_linearswitch, fast_binaryswitch
	Ldc, LdcW, // fast_aldc, fast_aldc_w
	Return,                            // return_register_finalizer
	InvokeVirtual,                     // invokehandle
	GetField, PutField, ALoad0, ILoad, // nofast_...
}

// Bytecodes with names in this package.
const (
	BiPush          = 16
	SiPush          = 17
	Ldc             = 18
	LdcW            = 19
	Ldc2W           = 20
	ILoad           = 21
	ALoad           = 25
	ALoad0          = 42
	IStore          = 54
	AStore          = 58
	AAStore         = 83
	IInc            = 132
	IfEq            = 153
	Goto            = 167
	Jsr             = 168
	Ret             = 169
	TableSwitch     = 170
	LookupSwitch    = 171
	Return          = 177
	GetStatic       = 178
	PutStatic       = 179
	GetField        = 180
	PutField        = 181
	InvokeVirtual   = 182
	InvokeSpecial   = 183
	InvokeStatic    = 184
	InvokeInterface = 185
	InvokeDynamic   = 186
	New             = 187
	NewArray        = 188
	ANewArray       = 189
	CheckCast       = 192
	InstanceOf      = 193
	Wide            = 196
	MultiANewArray  = 197
	IfNull          = 198
	IfNonNull       = 199
	GotoW           = 200
	JsrW            = 201
)

func ClassFileOpcode(b byte) (code byte, ok bool) {
	if b < breakpoint {
		return b, true
	}
	if i := int(b) - firstQuick; i >= 0 && i < len(quick) {
		return quick[i], true
	}
	return 0, false
}

// operandSizes returns the operand sizes of a bytecode of fixed size in bytes. pool is the size of the constant pool
// index, rest the size of all other operands.
func operandSizes(code byte) (pool, rest int) {
	switch {
	case code == Ldc:
		return 1, 0
	case code == LdcW, code == Ldc2W, code >= GetStatic && code <= InvokeStatic,
		code == New, code == ANewArray, code == CheckCast, code == InstanceOf:
		return 2, 0
	case code == InvokeInterface:
		return 2, 2
	case code == InvokeDynamic:
		return 4, 0
	case code == MultiANewArray:
		return 2, 1
	case code == BiPush, code >= ILoad && code <= ALoad, code >= IStore && code <= AStore, code == Ret, code == NewArray:
		return 0, 1
	case code == SiPush, code == IInc, code >= IfEq && code <= Jsr, code == IfNull, code == IfNonNull:
		return 0, 2
	case code == GotoW, code == JsrW:
		return 0, 4
	}
	return 0, 0
}

var mnemonics = strings.Fields(`nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1
	fconst_0 fconst_1 fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w iload lload fload dload aload
	iload_0 iload_1 iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3
	dload_0 dload_1 dload_2 dload_3 aload_0 aload_1 aload_2 aload_3
	iaload laload faload daload aaload baload caload saload istore lstore fstore dstore astore
	istore_0 istore_1 istore_2 istore_3 lstore_0 lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2 fstore_3
	dstore_0 dstore_1 dstore_2 dstore_3 astore_0 astore_1 astore_2 astore_3
	iastore lastore fastore dastore aastore bastore castore sastore pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap
	iadd ladd fadd dadd isub lsub fsub dsub imul lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg
	ishl lshl ishr lshr iushr lushr iand land ior lor ixor lxor iinc
	i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s lcmp fcmpl fcmpg dcmpl dcmpg
	ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple if_acmpeq if_acmpne
	goto jsr ret tableswitch lookupswitch ireturn lreturn freturn dreturn areturn return
	getstatic putstatic getfield putfield invokevirtual invokespecial invokestatic invokeinterface invokedynamic
	new newarray anewarray arraylength athrow checkcast instanceof monitorenter monitorexit wide multianewarray ifnull ifnonnull goto_w jsr_w`)

var quickMnemonics = map[string]string{
	"iload2": "iload", "icaload": "iload", "iaccess_0": "aload_0", "aaccess_0": "aload_0", "faccess_0": "aload_0",
	"invokevfinal": "invokevirtual", "linearswitch": "lookupswitch", "binaryswitch": "lookupswitch", "aldc": "ldc",
	"aldc_w":                    "ldc_w",
	"return_register_finalizer": "return", "invokehandle": "invokevirtual",
}

var opcodes = sync.OnceValue(func() map[string]byte {
	all := map[string]byte{}
	for op, name := range mnemonics {
		all[name] = byte(op)
	}
	return all
})

func Opcode(name string) (op byte, ok bool) {
	op, ok = opcodes()[name]
	if ok {
		return op, true
	}
	for _, front := range []string{"fast_", "nofast_"} {
		name = strings.TrimPrefix(name, front)
	}
	if plain, quick := quickMnemonics[name]; quick {
		name = plain
	} else if len(name) == len("agetfield") && (strings.HasSuffix(name, "getfield") ||
		strings.HasSuffix(name, "putfield")) {
		name = name[1:] // name without its type
	}
	op, ok = opcodes()[name]
	return op, ok
}

var typeCodes = strings.Fields("boolean char float double byte short int long")

func ArrayType(name string) (code int64, ok bool) {
	i := slices.Index(typeCodes, name)
	return int64(4 + i), i >= 0
}

func ArrayTypeName(code int64) string {
	if i := code - 4; i >= 0 && i < int64(len(typeCodes)) {
		return typeCodes[i]
	}
	return strconv.FormatInt(code, 10)
}

// ShortInstruction returns the instruction of an opcode without operands; ok is false if the opcode has operands.
func ShortInstruction(bci int, op byte) (i Instruction, ok bool) {
	if pool, rest := operandSizes(op); pool+rest > 0 || op == TableSwitch || op == LookupSwitch || op == Wide ||
		int(op) >= len(mnemonics) {
		return i, false
	}
	i = Instruction{Bci: bci, Op: op}
	i.decodeOperands(nil, nil)
	return i, true
}

// Size returns the size in bytes of the bytecode at an offset, 0 if there is none or if it exceeds the code.
func Size(code []byte, at int) int {
	_, _, size := operandsAt(code, at)
	return size
}

// operandsAt returns the class file bytecode at an offset, the start of its operands after padding and constant pool
// index, and its size. The size is 0 if there is no bytecode.
func operandsAt(code []byte, at int) (java byte, from, size int) {
	if at < 0 || at >= len(code) {
		return 0, 0, 0
	}
	java, ok := ClassFileOpcode(code[at])
	if !ok {
		return 0, 0, 0
	}
	from = at + 1
	size = 1
	switch java {
	case TableSwitch, LookupSwitch:
		from = at + 4 - at%4
		size = from - at + switchSize(java, code, from)
	case Wide:
		size = wideSize(code, from)
	default:
		pool, rest := operandSizes(java)
		from += pool
		size += pool + rest
	}
	if at+size > len(code) || from > at+size {
		return java, from, 0
	}
	return java, from, size
}

// switchSize returns the size of a switch's operands after padding. It exceeds the code if the switch does.
func switchSize(java byte, code []byte, from int) int {
	const fixed = 12 // default, low and high; or default and number of pairs
	if java == LookupSwitch {
		if from+8 > len(code) {
			return len(code)
		}
		return 8 + 8*clampCases(signedWord(code, from+4))
	}
	if from+fixed > len(code) {
		return len(code)
	}
	return fixed + 4*clampCases(signedWord(code, from+8)-signedWord(code, from+4)+1)
}

func signedWord(code []byte, at int) int64 { return int64(int32(binary.BigEndian.Uint32(code[at:]))) }

// clampCases limits the number of cases to the possible size of code.
func clampCases(n int64) int { return int(min(max(n, 0), 1<<16)) }

func wideSize(code []byte, at int) int {
	if at < len(code) && code[at] == IInc {
		return 6
	}
	return 4
}

// Mnemonic returns javap's name of the bytecode at an offset, such as iload_w for a wide iload; "" if Size is 0.
func Mnemonic(code []byte, at int) string {
	java, from, size := operandsAt(code, at)
	switch {
	case size == 0 || int(java) >= len(mnemonics):
		return ""
	case java == Wide && int(code[from]) < len(mnemonics):
		return mnemonics[code[from]] + "_w"
	}
	return mnemonics[java]
}

type Point struct {
	Bci  int
	Kind methodcode.PointKind
	// Targets are bytecode indices. A branch or jump has one. A switch has its default first, then its cases in order.
	Targets []int
}

func pointKindOf(java byte) methodcode.PointKind {
	switch {
	case java == InvokeStatic, java == InvokeSpecial, java == InvokeDynamic:
		return methodcode.Call
	case java == InvokeVirtual, java == InvokeInterface:
		return methodcode.VirtualCall
	case java == CheckCast, java == InstanceOf, java == AAStore:
		return methodcode.TypeCheck
	case java == Goto, java == GotoW, java == Jsr, java == JsrW:
		return methodcode.Jump
	case java >= IfEq && java < Goto, java == IfNull, java == IfNonNull:
		return methodcode.Branch
	case java == TableSwitch, java == LookupSwitch:
		return methodcode.Switch
	case java == Ret:
		return methodcode.Ret
	}
	return methodcode.NoPoint
}

// Points returns the profile points of code in order; ok is false if the bytes are not bytecodes.
func Points(code []byte) (points []Point, ok bool) {
	for at := 0; at < len(code); {
		java, from, size := operandsAt(code, at)
		if size == 0 {
			return nil, false
		}
		if java == Wide && code[at+1] == Ret {
			java = Ret
		}
		if kind := pointKindOf(java); kind != methodcode.NoPoint {
			points = append(points, Point{at, kind, branchTargets(java, code[from:at+size], at)})
		}
		at += size
	}
	return points, true
}

func branchTargets(java byte, operands []byte, at int) []int {
	switch {
	case java == GotoW, java == JsrW:
		return []int{at + int(signedWord(operands, 0))}
	case pointKindOf(java) == methodcode.Jump, pointKindOf(java) == methodcode.Branch:
		return []int{at + int(int16(binary.BigEndian.Uint16(operands)))}
	case java == TableSwitch:
		return switchTargets(operands, at, 12, 4)
	case java == LookupSwitch:
		return switchTargets(operands, at, 12, 8)
	}
	return nil
}

// switchTargets returns the targets of the default and the cases of a switch. first is the offset of the first case's
// target, stride the distance between targets. Both kinds of switch have the first target at 12.
func switchTargets(operands []byte, at, first, stride int) []int {
	list := []int{at + int(signedWord(operands, 0))}
	for ; first+4 <= len(operands); first += stride {
		list = append(list, at+int(signedWord(operands, first)))
	}
	return list
}

// CodeID returns the code id of a method's bytecodes, which is the XXH64 (seed 0) of their normal form, or 1 if that is
// 0. Class files and all rewritten forms in VMs give the same id. The normal form has
//
//   - the bytecodes of the class file instead of quick forms;
//
// - operands as in the class file, big-endian, without constant pool indices (and invokedynamic's two zero bytes),
// because VMs replace the indices and other methods of the class change them;
//   - no padding of switches.
//
// CodeID returns 0, unknown, if the bytes are not bytecodes or contain a breakpoint.
func CodeID(code []byte) uint64 {
	var buf [1024]byte
	normal := buf[:0]
	for at := 0; at < len(code); {
		var size int
		normal, size = appendNormal(normal, code, at)
		if size == 0 {
			return 0
		}
		at += size
	}
	return max(xxhash.Sum64(normal), 1)
}

func appendNormal(b, code []byte, at int) (_ []byte, size int) {
	java, from, size := operandsAt(code, at)
	if size == 0 {
		return b, 0
	}
	b = append(b, java)
	return append(b, code[from:at+size]...), size
}
