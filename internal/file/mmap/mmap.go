// Package mmap maps memory: read-only views of files, private writable mappings of archives at a preferred address,
// and a guard that converts memory faults to errors. It does not depend on the content of the files.
//
// # A private mapping
//
// The whole span is reserved first, so that nothing else can be mapped into it. Then its parts are mapped over the
// reservation:
//
//	base                 base+RW                base+Size
//	 +--------------------+----------------------+------+----------------+
//	 | file, shared,      | file, private,       | rest | zeroed memory, |
//	 | read-only          | copy-on-write        | page | Late bytes     |
//	 +--------------------+----------------------+------+----------------+
//
// Huge pages are not requested. The kernel uses them by itself for files that were written in aligned blocks of 2
// MiB, and copied pages of the private part are ordinary pages in any case.
//
// # Unsafe
//
// Only this package and package words import unsafe.
package mmap

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// A Fault is an access to mapped memory that the file no longer backs.
type Fault struct{ Address uintptr }

func (f *Fault) Error() string { return fmt.Sprintf("memory fault at 0x%x", f.Address) }

// Guard runs f. A memory fault at an address that owns accepts aborts f and is returned as a [*Fault]. Other panics
// are not recovered. Guard covers only the calling goroutine.
func Guard(owns func(address uintptr) bool, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		// The runtime's error for a fault has its address.
		fault, ok := v.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !ok || !owns(fault.Addr()) {
			panic(v)
		}
		err = &Fault{fault.Addr()}
	}()
	return f()
}

// A Plan is the layout of a private mapping; see the package comment.
type Plan struct {
	Base uint64 // preferred address; 0 for any
	Size int64  // bytes of the file to map, from its start
	RW   int64  // offset of the writable part, or Size. The rest of its first page is writable, too
	Late int64  // bytes of zeroed, writable memory next to the file
}

// A Private is a mapping of a file with a private, writable, copy-on-write part. Writes never reach the file.
type Private struct {
	plan Plan
	base uintptr // address of the file
	late uintptr // address of the late memory
}

var errImpossiblePlan = errors.New("impossible mapping")

// NewPrivate maps f according to plan. The system chooses another base if the preferred one is taken, not
// page-aligned or impossible on this machine.
func NewPrivate(f *os.File, plan Plan) (*Private, error) {
	if err := plan.validatePlan(); err != nil {
		return nil, err
	}
	var p *Private
	var failed error
	err := withFileHandle(f, func(handle uintptr) { p, failed = mapPrivate(handle, plan) })
	if err = errors.Join(err, failed); err != nil {
		return nil, fmt.Errorf("map %d bytes privately: %w", plan.Size, err)
	}
	return p, nil
}

func (p *Plan) validatePlan() error {
	page := int64(os.Getpagesize())
	switch {
	case p.Size <= 0 || p.RW < 0 || p.RW > p.Size || p.Late < 0:
		return fmt.Errorf("%w: %d bytes, writable from %d, %d beside", errImpossiblePlan, p.Size, p.RW, p.Late)
	case p.Size > math.MaxInt-page || p.Late > math.MaxInt-page-p.lateOffset():
		return fmt.Errorf("%w: %d and %d bytes do not fit into the address space", errImpossiblePlan, p.Size, p.Late)
	}
	return nil
}

func (p *Plan) writableOffset() int64 {
	if p.RW == p.Size {
		return p.Size
	}
	return p.RW - p.RW%int64(os.Getpagesize())
}

func (p *Plan) lateOffset() int64  { return roundUpToPage(p.Size) }
func (p *Plan) mappingSize() int64 { return p.lateOffset() + roundUpToPage(p.Late) }

func (p *Plan) preferredBase() uintptr {
	base := uintptr(p.Base)
	if uint64(base) != p.Base || base%uintptr(os.Getpagesize()) != 0 || base+uintptr(p.mappingSize()) < base {
		return 0
	}
	return base
}

func roundUpToPage(n int64) int64 {
	page := int64(os.Getpagesize())
	return (n + page - 1) &^ (page - 1)
}

// withFileHandle calls use with the system handle of f, which stays open until use returns.
func withFileHandle(f *os.File, use func(handle uintptr)) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if err := c.Control(use); err != nil {
		// Control fails only if the file is closed, but its error is not ErrClosed.
		return fmt.Errorf("%w: %w", os.ErrClosed, err)
	}
	return nil
}

func (p *Private) Base() uintptr { return p.base }
func (p *Private) AtBase() bool  { return p.plan.Base != 0 && uint64(p.base) == p.plan.Base }
func (p *Private) RW() []byte    { return sliceAt(p.base+uintptr(p.plan.RW), p.plan.Size-p.plan.RW) }

// Late returns the zeroed memory next to the file.
func (p *Private) Late() []byte { return sliceAt(p.late, p.plan.Late) }

func sliceAt(address uintptr, n int64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointerTo(address)), n)
}

// pointerTo converts an address of mapped memory, which the garbage collector neither moves nor frees.
func pointerTo(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

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
