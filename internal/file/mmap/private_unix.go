//go:build unix && !aix

package mmap

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

const readWrite = unix.PROT_READ | unix.PROT_WRITE

func mapPrivate(fd uintptr, plan Plan) (*Private, error) {
	base, err := reserveAddresses(plan.preferredBase(), uintptr(plan.mappingSize()))
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes: %w", plan.mappingSize(), err)
	}
	p := &Private{plan: plan, base: base, late: base + uintptr(plan.lateOffset())}
	if err := p.mapParts(int(fd)); err != nil {
		return nil, errors.Join(err, p.Unmap())
	}
	return p, nil
}

func (p *Private) mapParts(fd int) error {
	if err := p.mapFixed(fd, 0, p.plan.Size, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return err
	}
	// The private part has all counters of the program, and few of them are ever written. So no swap space is reserved.
	from := p.plan.writableOffset()
	if err := p.mapFixed(fd, from, p.plan.Size-from, readWrite, unix.MAP_PRIVATE|noReserve); err != nil {
		return err
	}
	return p.mapFixed(-1, p.plan.lateOffset(), p.plan.Late, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON)
}

func (p *Private) mapFixed(fd int, offset, n int64, prot, flags int) error {
	if n == 0 {
		return nil
	}
	from := offset
	if fd < 0 {
		from = 0
	}
	_, err := unix.MmapPtr(fd, from, pointerTo(p.base+uintptr(offset)), uintptr(n), prot, flags|unix.MAP_FIXED)
	if err != nil {
		return fmt.Errorf("place %d bytes at offset 0x%x: %w", n, offset, err)
	}
	return nil
}

func (p *Private) Unmap() error {
	return unix.MunmapPtr(pointerTo(p.base), uintptr(p.plan.mappingSize()))
}

// Forget unmaps the pages from this process. The system may keep them, and the next access maps them again.
func (v *View) Forget() { _ = unix.Madvise(v.mapping, unix.MADV_DONTNEED) }
