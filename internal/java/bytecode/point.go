package bytecode

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// A PointKind is the kind of MethodData entry at a bytecode.
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
	// Targets are bytecode indices. A branch or jump has one. A switch has its default first, then its cases in order.
	Targets []int
}

func pointKindOf(java byte) PointKind {
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
		if kind := pointKindOf(java); kind != NoPoint {
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
	case pointKindOf(java) == Jump, pointKindOf(java) == Branch:
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

// appendNormal appends the normal form of the bytecode at an offset and returns its size, 0 if there is no bytecode.
func appendNormal(b, code []byte, at int) (_ []byte, size int) {
	java, from, size := operandsAt(code, at)
	if size == 0 {
		return b, 0
	}
	b = append(b, java)
	return append(b, code[from:at+size]...), size
}
