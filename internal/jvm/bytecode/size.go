package bytecode

import "encoding/binary"

// Size is the size in bytes of the bytecode at a place in code; 0 if there is
// none, or if it runs over the end.
func Size(code []byte, at int) int {
	_, _, size := operandsAt(code, at)
	return size
}

// operandsAt gives the bytecode at a place as the class file has it, where its
// operands begin behind padding and an index into the constant pool, and its
// size; size is 0 if there is none.
func operandsAt(code []byte, at int) (java byte, from, size int) {
	if at < 0 || at >= len(code) {
		return 0, 0, 0
	}
	java, ok := Java(code[at])
	if !ok {
		return 0, 0, 0
	}
	from, size = at+1, 1
	switch java {
	case TableSwitch, LookupSwitch:
		from = at + 4 - at%4
		size = from - at + switchSize(java, code, from)
	case Wide:
		size = wideSize(code, from)
	default:
		pool, rest := operands(java)
		from += pool
		size += pool + rest
	}
	if at+size > len(code) || from > at+size {
		return java, from, 0
	}
	return java, from, size
}

// switchSize is the size of a switch's operands from the default on. One that
// does not fit is given a size that does not fit either.
func switchSize(java byte, code []byte, from int) int {
	const fixed = 12 // default, low and high; or default and number of pairs
	if java == LookupSwitch {
		if from+8 > len(code) {
			return len(code)
		}
		return 8 + 8*clamp(word(code, from+4))
	}
	if from+fixed > len(code) {
		return len(code)
	}
	return fixed + 4*clamp(word(code, from+8)-word(code, from+4)+1)
}

// word is the signed 32-bit number at a place.
func word(code []byte, at int) int64 { return int64(int32(binary.BigEndian.Uint32(code[at:]))) }

// clamp bounds a number of cases by what code can have.
func clamp(n int64) int { return int(min(max(n, 0), 1<<16)) }

func wideSize(code []byte, at int) int {
	if at < len(code) && code[at] == IInc {
		return 6
	}
	return 4
}
