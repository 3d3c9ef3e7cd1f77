package bytecode

import "github.com/cespare/xxhash/v2"

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
	java, from, size := operandsAt(code, at)
	if size == 0 {
		return b, 0
	}
	b = append(b, java)
	return append(b, code[from:at+size]...), size
}
