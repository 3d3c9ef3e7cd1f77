package live

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// CodeID is the code id of a method's bytecodes: the XXH64 (seed 0) of their
// normal form, 1 if that is 0. It is the same for the code attribute of a class
// file and for what a VM has made of it, in every run and release:
//
//   - every bytecode stands in the normal form as the class file has it, whatever
//     quick form has taken its place;
//   - operands follow it as the class file has them, big-endian, but for indices
//     into the constant pool (with invokedynamic's two zero bytes), which are left
//     out: the VM replaces them by others, and they change with every other
//     method of the class;
//   - the bytes that align a switch are left out.
//
// It is 0, not known, if the bytes are not bytecodes, or if a debugger has set a
// breakpoint among them.
func CodeID(code []byte) uint64 {
	var buf [1024]byte
	normal := buf[:0]
	for at := 0; at < len(code); {
		var size int
		if normal, size = appendNormal(normal, code, at); size == 0 {
			return 0
		}
		at += size
	}
	return max(xxhash.Sum64(normal), 1)
}

// appendNormal appends the normal form of the bytecode at a place, which takes
// size bytes; size is 0 if there is none.
func appendNormal(b, code []byte, at int) (_ []byte, size int) {
	java, ok := javaCode(code[at])
	if !ok {
		return b, 0
	}
	b = append(b, java)
	from, size := at+1, 1
	switch java {
	case tableswitch, lookupswitch:
		from = at + 4 - at%4
		size = from - at + switchSize(java, code, from)
	case wide:
		size = wideSize(code, from)
	default:
		pool, rest := operands(java)
		from += pool
		size += pool + rest
	}
	if at+size > len(code) || from > at+size {
		return b, 0
	}
	return append(b, code[from:at+size]...), size
}

// switchSize is the size of a switch's operands from the default on. One that
// does not fit is given a size that does not fit either.
func switchSize(java byte, code []byte, from int) int {
	const fixed = 12 // default, low and high; or default and number of pairs
	if java == lookupswitch {
		if from+8 > len(code) {
			return len(code)
		}
		return 8 + 8*clamp(int64(int32(binary.BigEndian.Uint32(code[from+4:]))))
	}
	if from+fixed > len(code) {
		return len(code)
	}
	low, high := int32(binary.BigEndian.Uint32(code[from+4:])), int32(binary.BigEndian.Uint32(code[from+8:]))
	return fixed + 4*clamp(int64(high)-int64(low)+1)
}

// clamp bounds a number of cases by what code can have.
func clamp(n int64) int { return int(min(max(n, 0), 1<<16)) }

func wideSize(code []byte, at int) int {
	if at < len(code) && code[at] == iinc {
		return 6
	}
	return 4
}
