package words

import (
	"encoding/binary"
	"slices"
	"sync/atomic"
	"unsafe"
)

// This is the only file of the package in which unsafe stands. Counters that a mapping shares with native
// code are counted with atomic instructions on the mapped word itself.

// LittleEndian reports whether this machine can count in place: the words of an archive are little-endian.
func LittleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// Word64 returns the 8 bytes of b at offset as a word to use atomically. ok is false if they are not inside
// b, or not aligned: an atomic access over the edge of a cache line would stall every core.
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

// A Count is a word that is counted in: by several threads at once with Add, or by one alone with Add1.
type Count struct{ atomic.Uint64 }

// CountOf returns a word as one that is counted in.
func CountOf(w *atomic.Uint64) *Count { return (*Count)(unsafe.Pointer(w)) }

// Address returns the address of the first byte of b, 0 if b is empty.
func Address(b []byte) uintptr {
	if len(b) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))
}

// AddressOf returns the address of a word.
func AddressOf(w *atomic.Uint64) uintptr { return uintptr(unsafe.Pointer(w)) }

// Text is b as text, not copied: b must not be changed as long as it is in use.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// TextBytes is text as bytes, not copied: they must not be changed.
func Bytes(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// AppendWords appends the little-endian words in b, whose size is a multiple of 8, which need not be aligned.
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

// LittleEndianBytes returns words as little-endian bytes: the memory itself, where the
// machine has that order, so that neither may be changed as long as both are in use.
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

// Aligned returns n zero bytes on the heap whose first is on a multiple of 8.
func Aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n]
}

// A View is memory that is read without bounds checks, little-endian on every
// machine. Whoever asks for an offset has made sure that the word is inside
// the memory. It keeps memory of the heap alive, not a mapping.
type View struct{ start unsafe.Pointer }

// ViewOf returns the view of b.
func ViewOf(b []byte) View { return View{unsafe.Pointer(unsafe.SliceData(b))} }

// From returns the view from an offset on, empty if v is empty.
func (v View) From(at uint64) View {
	if v.start == nil {
		return View{}
	}
	return View{unsafe.Add(v.start, at)}
}

// Uint16 returns the number at an offset. It and the next two call nothing, not even what is
// inlined: the compiler marks each inlined call by an instruction that does nothing, and
// the path of a hit is counted in instructions.
func (v View) Uint16(at uint64) uint16 {
	b := (*[2]byte)(unsafe.Add(v.start, at))
	return uint16(b[0]) | uint16(b[1])<<8
}

// Uint32 returns the number at an offset.
func (v View) Uint32(at uint64) uint32 {
	b := (*[4]byte)(unsafe.Add(v.start, at))
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// Uint64 returns the number at an offset.
func (v View) Uint64(at uint64) uint64 {
	b := (*[8]byte)(unsafe.Add(v.start, at))
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// Cell returns the 8 bytes at an offset.
func (v View) Cell(at uint64) *[8]byte { return (*[8]byte)(unsafe.Add(v.start, at)) }

// Word32 returns the 4 bytes at an offset, which are aligned, to be used atomically.
func (v View) Word32(at uint64) *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Add(v.start, at)) }

// Word returns the 8 bytes at an offset, which are aligned, to be used atomically; nil if
// the view is of nothing.
func (v View) Word(at uint64) *atomic.Uint64 {
	if v.start == nil {
		return nil
	}
	return (*atomic.Uint64)(unsafe.Add(v.start, at))
}

// String returns the n bytes at an offset as text, not copied.
func (v View) String(at, n uint64) string { return unsafe.String((*byte)(unsafe.Add(v.start, at)), n) }
