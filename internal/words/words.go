package words

import (
	"encoding/binary"
	"slices"
	"sync/atomic"
	"unsafe"
)

// This is the only file of the package in which unsafe stands. Counters that a
// mapping shares with native code are counted with atomic instructions on the
// mapped word itself.

// LittleEndian reports whether this machine can count in place: the words of
// an archive are little-endian.
func LittleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// Word64 returns the 8 bytes of b at offset as a word to use atomically. ok is
// false if they are not inside b, or not aligned: an atomic access over the
// edge of a cache line would stall every core.
func Uint64(b []byte, offset int) (w *atomic.Uint64, ok bool) {
	if offset < 0 || offset > len(b)-8 {
		return nil, false
	}
	p := unsafe.Pointer(unsafe.SliceData(b[offset:]))
	if uintptr(p)%8 != 0 {
		return nil, false
	}
	return (*atomic.Uint64)(p), true
}

// Word32 is [Word64] for 4 bytes.
func Uint32(b []byte, offset int) (w *atomic.Uint32, ok bool) {
	if offset < 0 || offset > len(b)-4 {
		return nil, false
	}
	p := unsafe.Pointer(unsafe.SliceData(b[offset:]))
	if uintptr(p)%4 != 0 {
		return nil, false
	}
	return (*atomic.Uint32)(p), true
}

// Address is the address of the first byte of b, 0 if b is empty.
func Address(b []byte) uintptr {
	if len(b) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

// Text is b as text, not copied: b must not be changed as long as it is in use.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// TextBytes is text as bytes, not copied: they must not be changed.
func Bytes(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// AppendWords appends the little-endian words in b, whose size is a multiple of 8,
// which need not be aligned.
func Append(words []uint64, b []byte) []uint64 {
	n := len(words)
	words = slices.Grow(words, len(b)/8)[:n+len(b)/8]
	if more := words[n:]; LittleEndian() {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(more))), 8*len(more)), b)
	} else {
		for i := range more {
			more[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	}
	return words
}

// Aligned returns n zero bytes on the heap whose first lies on a multiple of 8.
func Aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n]
}
