// Package words accesses memory as words: counters that native code shares, numbers at unaligned offsets, and
// strings and byte slices without copying. It and package mmap are the only packages that import unsafe.
package words

import (
	"encoding/binary"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Counters that a mapping shares with native code are incremented by atomic instructions on the mapped word.

// LittleEndian reports whether this machine is little-endian. Words of an archive are, so only such a machine can
// increment them.
func LittleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// Uint64 returns the 8 bytes of b at offset as a word for atomic use; ok is false if they are outside b or not
// aligned. An atomic access across cache lines would stall every core.
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

// A Count is a counter word. Several threads can increment it with Add, or a single one with Add1.
type Count struct{ atomic.Uint64 }

func CountOf(w *atomic.Uint64) *Count { return (*Count)(unsafe.Pointer(w)) }

// AddressOfBytes returns the address of the first byte of b, 0 if b is empty.
func AddressOfBytes(b []byte) uintptr {
	if len(b) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

// StringOf returns b as a string without copying. b must not be changed while the string is in use.
func StringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// AppendWords appends the little-endian words in b, whose length must be a multiple of 8. b need not be aligned.
func AppendWords(words []uint64, b []byte) []uint64 {
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

// LittleEndianBytes returns words as little-endian bytes. On a little-endian machine they share memory.
func LittleEndianBytes(words []uint64) []byte {
	if LittleEndian() {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
	}
	b := make([]byte, 0, 8*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// AlignedBytes returns n zero bytes on the heap, aligned to 8.
func AlignedBytes(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n]
}

// A View is memory that is read without bounds checks, as little-endian numbers on every machine. The caller must
// ensure that offsets are inside the memory. A View keeps heap memory alive but not a mapping.
type View struct{ start unsafe.Pointer }

func ViewOf(b []byte) View { return View{unsafe.Pointer(unsafe.SliceData(b))} }

// From returns the view from an offset on, empty if v is empty.
func (v View) From(at uint64) View {
	if v.start == nil {
		return View{}
	}
	return View{unsafe.Add(v.start, at)}
}

// Uint16 returns the number at an offset. It and the next two make no calls, not even inlined ones. The compiler
// marks each inlined call by a no-op instruction, and instructions matter on the hit path.
func (v View) Uint16(at uint64) uint16 {
	b := (*[2]byte)(unsafe.Add(v.start, at))
	return uint16(b[0]) | uint16(b[1])<<8
}

func (v View) Uint32(at uint64) uint32 {
	b := (*[4]byte)(unsafe.Add(v.start, at))
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (v View) Uint64(at uint64) uint64 {
	b := (*[8]byte)(unsafe.Add(v.start, at))
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// Cell returns the 8 bytes at an offset.
func (v View) Cell(at uint64) *[8]byte { return (*[8]byte)(unsafe.Add(v.start, at)) }

// Word32 returns the 4 bytes at an offset, which must be aligned, for atomic use.
func (v View) Word32(at uint64) *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Add(v.start, at)) }

// Word returns the 8 bytes at an offset, which must be aligned, for atomic use; nil for an empty view.
func (v View) Word(at uint64) *atomic.Uint64 {
	if v.start == nil {
		return nil
	}
	return (*atomic.Uint64)(unsafe.Add(v.start, at))
}

// String returns n bytes at an offset as a string without copying.
func (v View) String(at, n uint64) string { return unsafe.String((*byte)(unsafe.Add(v.start, at)), n) }
