// Package mmap is the one place that asks the operating system for memory:
// read-only views of files, private writable mappings of archives at an address
// of choice, and the guard that turns a memory fault into an error. It does not depend on
// what the files hold.
//
// # A private mapping
//
// The whole span is reserved first, so that nothing else can be mapped into it; then its
// parts are mapped over the reservation:
//
//	base                 base+RW                base+Size
//	 +--------------------+----------------------+------+----------------+
//	 | file, shared,      | file, private,       | rest | zeroed memory, |
//	 | read-only          | copy-on-write        | page | Late bytes     |
//	 +--------------------+----------------------+------+----------------+
//
// Huge pages are not asked for: the kernel maps files that were written in
// aligned blocks of 2 MiB with huge pages of its own accord, and a copied page
// of the private part is an ordinary one in any case.
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
	"runtime"
	"runtime/debug"
	"unsafe"
)

// A Fault is an access to mapped memory that the file no longer backs.
type Fault struct{ Address uintptr }

func (f *Fault) Error() string { return fmt.Sprintf("memory fault at 0x%x", f.Address) }

// Guard runs f. A memory fault at an address that owns accepts ends f and becomes a [*Fault]; every other
// panic goes on. It only covers the calling goroutine, not those that f starts.
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
	Base uint64 // the address to lie at, if it is free; 0 for any
	Size int64  // bytes of the file that are mapped, from its start
	RW   int64  // offset of the writable part; Size if there is none. The rest of its first page is writable, too
	Late int64  // bytes of zeroed, writable memory next to the file
}

// A Private is a mapping of a file with a part that is private, writable and
// copy-on-write: writes there never reach the file.
type Private struct {
	plan Plan
	base uintptr // where the file is
	late uintptr // where the late memory is
}

// errImpossiblePlan: no mapping can have this layout.
var errImpossiblePlan = errors.New("impossible mapping")

// NewPrivate maps f as plan says. If the base is taken, not aligned to the system's
// pages or not possible on this machine, the system chooses another.
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

// writableOffset returns the offset of the first page of the writable part.
func (p *Plan) writableOffset() int64 {
	if p.RW == p.Size {
		return p.Size
	}
	return p.RW - p.RW%int64(os.Getpagesize())
}

// lateOffset returns the offset of the late memory.
func (p *Plan) lateOffset() int64 { return roundUpToPage(p.Size) }

// mappingSize returns the size of the whole mapping.
func (p *Plan) mappingSize() int64 { return p.lateOffset() + roundUpToPage(p.Late) }

// preferredBase returns the address to try, 0 for any.
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

// withFileHandle hands the system's handle of f to use, during which it stays open.
func withFileHandle(f *os.File, use func(handle uintptr)) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if err := c.Control(use); err != nil {
		// Control only fails if the file is closed, but with an error that is not ErrClosed.
		return fmt.Errorf("%w: %w", os.ErrClosed, err)
	}
	return nil
}

// Base returns the address at which the file is.
func (p *Private) Base() uintptr { return p.base }

// AtBase reports whether that is the base that was asked for.
func (p *Private) AtBase() bool { return p.plan.Base != 0 && uint64(p.base) == p.plan.Base }

// RW returns the writable part.
func (p *Private) RW() []byte { return sliceAt(p.base+uintptr(p.plan.RW), p.plan.Size-p.plan.RW) }

// Late returns the zeroed memory next to the file.
func (p *Private) Late() []byte { return sliceAt(p.late, p.plan.Late) }

// sliceAt returns n bytes that were mapped at address.
func sliceAt(address uintptr, n int64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointerTo(address)), n)
}

// pointerTo makes a pointer of the address of mapped memory, which the garbage
// collector neither moves nor frees.
func pointerTo(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
