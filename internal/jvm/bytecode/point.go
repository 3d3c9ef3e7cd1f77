package bytecode

import "encoding/binary"

// A PointKind says what HotSpot's MethodData records at a bytecode.
type PointKind uint8

// The kinds of profile points.
const (
	NoPoint     PointKind = iota
	Call                  // invokestatic, invokespecial, invokedynamic
	VirtualCall           // invokevirtual, invokeinterface
	TypeCheck             // checkcast, instanceof, aastore
	Jump                  // goto, jsr
	Branch                // if...
	Switch                // tableswitch, lookupswitch
	RetFrom               // ret
)

// A Point is a bytecode at which MethodData has an entry.
type Point struct {
	Bci  int
	Kind PointKind
	// Targets are where it may go, as bcis: one of a branch or jump; of a switch
	// the default and the cases in order.
	Targets []int
}

// kindOf is the kind of point of a bytecode of a class file.
func kindOf(java byte) PointKind {
	switch {
	case java == InvokeStatic, java == InvokeSpecial, java == InvokeDynamic:
		return Call
	case java == InvokeVirtual, java == InvokeInterface:
		return VirtualCall
	case java == CheckCast, java == InstanceOf, java == AAStore:
		return TypeCheck
	case java == Goto, java == GotoW, java == Jsr, java == JsrW:
		return Jump
	case java >= IfEq && java < Goto, java == IfNull, java == IfNonNull:
		return Branch
	case java == TableSwitch, java == LookupSwitch:
		return Switch
	case java == Ret:
		return RetFrom
	}
	return NoPoint
}

// Points are the profile points of code, in order. ok is false if the bytes are
// not bytecodes.
func Points(code []byte) (points []Point, ok bool) {
	for at := 0; at < len(code); {
		java, from, size := operandsAt(code, at)
		if size == 0 {
			return nil, false
		}
		if java == Wide && code[at+1] == Ret {
			java = Ret
		}
		if kind := kindOf(java); kind != NoPoint {
			points = append(points, Point{at, kind, targets(java, code[from:at+size], at)})
		}
		at += size
	}
	return points, true
}

// targets are where a bytecode with those operands may go.
func targets(java byte, operands []byte, at int) []int {
	switch {
	case java == GotoW, java == JsrW:
		return []int{at + int(word(operands, 0))}
	case kindOf(java) == Jump, kindOf(java) == Branch:
		return []int{at + int(int16(binary.BigEndian.Uint16(operands)))}
	case java == TableSwitch:
		return switchTargets(operands, at, 12, 4)
	case java == LookupSwitch:
		return switchTargets(operands, at, 12, 8)
	}
	return nil
}

// switchTargets are the default of a switch and its cases, the first of which
// lies at an offset, and which are a stride apart. A lookupswitch has a number
// of pairs before the first match, a tableswitch low and high before the first
// target: both have it at 12.
func switchTargets(operands []byte, at, first, stride int) []int {
	list := []int{at + int(word(operands, 0))}
	for ; first+4 <= len(operands); first += stride {
		list = append(list, at+int(word(operands, first)))
	}
	return list
}
