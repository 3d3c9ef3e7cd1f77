package bytecode

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
	GetField, GetField, GetField, GetField, GetField, GetField, GetField, GetField, // fast_{a,b,c,d,f,i,l,s}getfield
	PutField, PutField, PutField, PutField, PutField, PutField, PutField, PutField, PutField, // fast_{a,b,z,c,d,f,i,l,s}putfield
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

// Bytecodes that need a name.
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

// Java is the bytecode of the class file that b stands for; ok is false if that
// cannot be told.
func Java(b byte) (code byte, ok bool) {
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
