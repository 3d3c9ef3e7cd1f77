package mmap

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"
)

// A Plan says what a private mapping of a file looks like; see the package
// comment.
type Plan struct {
	Base uint64 // the address to lie at, if it is free; 0 for any
	Size int64  // bytes of the file that are mapped, from its start
	RW   int64  // offset of the writable part; Size if there is none
	Late int64  // bytes of zeroed, writable memory beside the file
}

// A Private is a mapping of a file of which a part is private, writable and
// copy-on-write: what is written there never reaches the file.
type Private struct {
	plan Plan
	base uintptr // where the file lies
	late uintptr // where the memory beside it lies
}

// errPlan is a plan that no mapping can follow.
var errPlan = errors.New("impossible mapping")

// NewPrivate maps f by plan. If the base is taken, not aligned to the system's
// pages or not possible on this machine, the system chooses another.
func NewPrivate(f *os.File, plan Plan) (*Private, error) {
	if err := plan.check(); err != nil {
		return nil, err
	}
	var p *Private
	var failed error
	err := control(f, func(handle uintptr) { p, failed = mapPrivate(handle, plan) })
	if err = errors.Join(err, failed); err != nil {
		return nil, fmt.Errorf("map %d bytes privately: %w", plan.Size, err)
	}
	return p, nil
}

func (p *Plan) check() error {
	page := int64(os.Getpagesize())
	switch {
	case p.Size <= 0 || p.RW < 0 || p.RW > p.Size || p.Late < 0:
		return fmt.Errorf("%w: %d bytes, writable from %d, %d beside", errPlan, p.Size, p.RW, p.Late)
	case p.Size > math.MaxInt-page || p.Late > math.MaxInt-page-p.lateAt():
		return fmt.Errorf("%w: %d and %d bytes do not fit into the address space", errPlan, p.Size, p.Late)
	case p.RW < p.Size && p.RW%page != 0:
		return fmt.Errorf("%w: writable from %d, which is not on a page of %d", errPlan, p.RW, page)
	}
	return nil
}

// lateAt is the offset of the memory behind the file.
func (p *Plan) lateAt() int64 { return roundUp(p.Size) }

// span is the size of the whole mapping.
func (p *Plan) span() int64 { return p.lateAt() + roundUp(p.Late) }

// base is the address to try, 0 if there is none that could be had.
func (p *Plan) base() uintptr {
	base := uintptr(p.Base)
	if uint64(base) != p.Base || base%uintptr(os.Getpagesize()) != 0 || base+uintptr(p.span()) < base {
		return 0
	}
	return base
}

func roundUp(n int64) int64 {
	page := int64(os.Getpagesize())
	return (n + page - 1) &^ (page - 1)
}

// control hands the system's handle of f to use, during which it stays open.
func control(f *os.File, use func(handle uintptr)) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if err := c.Control(use); err != nil {
		// The one reason there is, but its error does not say it to errors.Is.
		return fmt.Errorf("%w: %w", os.ErrClosed, err)
	}
	return nil
}

// Base is the address at which the file lies.
func (p *Private) Base() uintptr { return p.base }

// AtBase reports whether that is the base that was asked for.
func (p *Private) AtBase() bool { return p.plan.Base != 0 && uint64(p.base) == p.plan.Base }

// RW is the writable part.
func (p *Private) RW() []byte { return memory(p.base+uintptr(p.plan.RW), p.plan.Size-p.plan.RW) }

// Late is the memory beside the file.
func (p *Private) Late() []byte { return memory(p.late, p.plan.Late) }

// memory returns n bytes that were mapped at address.
func memory(address uintptr, n int64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointer(address)), n)
}

// pointer makes a pointer of the address of mapped memory, which the garbage
// collector neither moves nor frees.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
