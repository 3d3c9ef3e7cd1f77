package mmap

import (
	"reflect"
	"runtime"
	"unsafe"
)

// A Piece is zeroed memory outside Go's heap, since the heap may grow to twice its live size. Release frees it, or a
// cleanup when the piece becomes unreachable. Users of the memory must therefore keep the piece.
type Piece struct {
	bytes   []byte
	cleanup runtime.Cleanup
	mapped  bool
}

// largePageSize is the size of the requested pages; see package fastmem.
const largePageSize = 2 << 20

// NewPiece allocates n bytes, on the heap if the system cannot provide others.
func NewPiece(n int) *Piece {
	bytes, err := MapZeroed(n)
	if err != nil {
		return &Piece{bytes: make([]byte, n)}
	}
	if n >= largePageSize {
		adviseLarge(bytes)
	}
	p := &Piece{bytes: bytes, mapped: true}
	p.cleanup = runtime.AddCleanup(p, UnmapZeroed, bytes)
	return p
}

// Bytes returns the memory.
func (p *Piece) Bytes() []byte { return p.bytes }

// Release unmaps the memory. Nothing may refer to it any more.
func (p *Piece) Release() {
	if p != nil && p.mapped {
		p.cleanup.Stop()
		UnmapZeroed(p.bytes)
	}
	if p != nil {
		p.bytes, p.mapped = nil, false
	}
}

// NewPieceOf allocates n values. Values with pointers are on the heap for the garbage collector and have no piece.
func NewPieceOf[V any](n int) (*Piece, []V) {
	var v V
	if n == 0 || unsafe.Sizeof(v) == 0 || hasPointers(reflect.TypeFor[V]()) {
		return nil, make([]V, n)
	}
	p := NewPiece(n * int(unsafe.Sizeof(v)))
	return p, unsafe.Slice((*V)(unsafe.Pointer(unsafe.SliceData(p.bytes))), n)
}

func hasPointers(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Array:
		return hasPointers(t.Elem())
	default:
		return k > reflect.Complex128
	}
}
