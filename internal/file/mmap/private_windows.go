package mmap

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

var mapViewOfFileEx = windows.NewLazySystemDLL("kernel32.dll").NewProc("MapViewOfFileEx")

// mapPrivate maps the whole file copy-on-write and then protects the part before the writable one. Windows cannot map
// a view over reserved address space, so late memory is allocated separately.
func mapPrivate(handle uintptr, plan Plan) (*Private, error) {
	section, err := windows.CreateFileMapping(windows.Handle(handle), nil, windows.PAGE_WRITECOPY, uint32(plan.Size>>32),
		uint32(plan.Size), nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer windows.CloseHandle(section) // the view keeps its own references
	base, err := mapViewAt(section, plan.preferredBase(), uintptr(plan.Size))
	if err != nil {
		return nil, err
	}
	p := &Private{plan: plan, base: base}
	if err := p.protectAndAllocate(); err != nil {
		return nil, errors.Join(err, p.Unmap())
	}
	return p, nil
}

func mapViewAt(section windows.Handle, base, n uintptr) (uintptr, error) {
	if base != 0 {
		if at, _, _ := mapViewOfFileEx.Call(uintptr(section), windows.FILE_MAP_COPY, 0, 0, n, base); at != 0 {
			return at, nil
		}
	}
	at, _, err := mapViewOfFileEx.Call(uintptr(section), windows.FILE_MAP_COPY, 0, 0, n, 0)
	if at == 0 {
		return 0, os.NewSyscallError("MapViewOfFileEx", err)
	}
	return at, nil
}

func (p *Private) protectAndAllocate() error {
	if before := p.plan.writableOffset(); before > 0 {
		var old uint32
		if err := windows.VirtualProtect(p.base, uintptr(before), windows.PAGE_READONLY, &old); err != nil {
			return os.NewSyscallError("VirtualProtect", err)
		}
	}
	if p.plan.Late == 0 {
		return nil
	}
	at, err := windows.VirtualAlloc(0, uintptr(p.plan.Late), windows.MEM_RESERVE|windows.MEM_COMMIT,
		windows.PAGE_READWRITE)
	if err != nil {
		return fmt.Errorf("%d bytes beside the file: %w", p.plan.Late, os.NewSyscallError("VirtualAlloc", err))
	}
	p.late = at
	return nil
}

func (p *Private) Unmap() error {
	err := windows.UnmapViewOfFile(p.base)
	if p.late != 0 {
		err = errors.Join(err, windows.VirtualFree(p.late, 0, windows.MEM_RELEASE))
	}
	return err
}

// Forget does nothing, since Windows decides alone.
func (v *View) Forget() {}
