package bytecode

import "strings"

// mnemonics are the names of the bytecodes of class files, from 0 on.
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

// quickMnemonics are the names that a VM has for quick forms, without the front
// that says so.
var quickMnemonics = map[string]string{
	"iload2": "iload", "icaload": "iload", "iaccess_0": "aload_0", "aaccess_0": "aload_0", "faccess_0": "aload_0",
	"invokevfinal": "invokevirtual", "linearswitch": "lookupswitch", "binaryswitch": "lookupswitch", "aldc": "ldc", "aldc_w": "ldc_w",
	"return_register_finalizer": "return", "invokehandle": "invokevirtual",
}

var opcodes = func() map[string]byte {
	all := map[string]byte{}
	for op, name := range mnemonics {
		all[name] = byte(op)
	}
	return all
}()

// Opcode is the bytecode of the class file that a VM prints under a name.
func Opcode(name string) (op byte, ok bool) {
	if op, ok = opcodes[name]; ok {
		return op, true
	}
	for _, front := range []string{"fast_", "nofast_"} {
		name = strings.TrimPrefix(name, front)
	}
	if plain, quick := quickMnemonics[name]; quick {
		name = plain
	} else if len(name) == len("agetfield") && (strings.HasSuffix(name, "getfield") || strings.HasSuffix(name, "putfield")) {
		name = name[1:] // of one type
	}
	op, ok = opcodes[name]
	return op, ok
}

// typeCodes are the operands of newarray.
var typeCodes = strings.Fields("boolean char float double byte short int long")

// ArrayType is the operand of a newarray for arrays of a type.
func ArrayType(name string) (code int64, ok bool) {
	for i, t := range typeCodes {
		if t == name {
			return int64(4 + i), true
		}
	}
	return 0, false
}

// Short is the instruction of an opcode that says all by itself; ok is false if it
// has operands.
func Short(bci int, op byte) (i Instruction, ok bool) {
	if pool, rest := operands(op); pool+rest > 0 || op == TableSwitch || op == LookupSwitch || op == Wide || int(op) >= len(mnemonics) {
		return i, false
	}
	i = Instruction{Bci: bci, Op: op}
	i.plain(nil, nil)
	return i, true
}
