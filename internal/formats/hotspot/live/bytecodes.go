package live

// Bytecodes as an interpreter of HotSpot has them in memory. Those of a class
// file keep their numbers; the others are quick forms of them, which take their
// place when a class is linked and while it runs.

// The quick forms begin behind the last bytecode of class files, and are the
// same in JDK 17 to 25.
const firstQuick = 203

// breakpoint takes the place of a bytecode at which a debugger stops.
const breakpoint = 202

// quick gives the bytecode of the class file for each quick form.
var quick = [...]byte{
	getfield, getfield, getfield, getfield, getfield, getfield, getfield, getfield, // fast_{a,b,c,d,f,i,l,s}getfield
	putfield, putfield, putfield, putfield, putfield, putfield, putfield, putfield, putfield, // fast_{a,b,z,c,d,f,i,l,s}putfield
	aload0,                 // fast_aload_0
	aload0, aload0, aload0, // fast_{i,a,f}access_0
	iload, iload, iload, // fast_iload, fast_iload2, fast_icaload
	invokevirtual,              // fast_invokevfinal
	lookupswitch, lookupswitch, // fast_linearswitch, fast_binaryswitch
	ldc, ldcW, // fast_aldc, fast_aldc_w
	areturnVoid,                       // return_register_finalizer
	invokevirtual,                     // invokehandle
	getfield, putfield, aload0, iload, // nofast_...
}

// Bytecodes that need a name here.
const (
	bipush        = 16
	sipush        = 17
	ldc           = 18
	ldcW          = 19
	ldc2W         = 20
	iload         = 21
	aload         = 25
	aload0        = 42
	istore        = 54
	astore        = 58
	iinc          = 132
	ifeq          = 153
	jsr           = 168
	ret           = 169
	tableswitch   = 170
	lookupswitch  = 171
	areturnVoid   = 177
	getstatic     = 178
	getfield      = 180
	putfield      = 181
	invokevirtual = 182
	invokestatic  = 184
	invokeiface   = 185
	invokedynamic = 186
	newObject     = 187
	newarray      = 188
	anewarray     = 189
	checkcast     = 192
	instanceOf    = 193
	wide          = 196
	multianew     = 197
	ifnull        = 198
	ifnonnull     = 199
	gotoW         = 200
	jsrW          = 201
)

// javaCode is the bytecode of the class file that b stands for; ok is false if
// that cannot be told.
func javaCode(b byte) (code byte, ok bool) {
	if b < breakpoint {
		return b, true
	}
	if i := int(b) - firstQuick; i >= 0 && i < len(quick) {
		return quick[i], true
	}
	return 0, false
}

// operands are the sizes in bytes of what stands behind a bytecode of fixed
// size: first an index into the constant pool, then all else.
func operands(code byte) (pool, rest int) {
	switch {
	case code == ldc:
		return 1, 0
	case code == ldcW, code == ldc2W, code >= getstatic && code <= invokestatic,
		code == newObject, code == anewarray, code == checkcast, code == instanceOf:
		return 2, 0
	case code == invokeiface:
		return 2, 2
	case code == invokedynamic:
		return 4, 0
	case code == multianew:
		return 2, 1
	case code == bipush, code >= iload && code <= aload, code >= istore && code <= astore, code == ret, code == newarray:
		return 0, 1
	case code == sipush, code == iinc, code >= ifeq && code <= jsr, code == ifnull, code == ifnonnull:
		return 0, 2
	case code == gotoW, code == jsrW:
		return 0, 4
	}
	return 0, 0
}
