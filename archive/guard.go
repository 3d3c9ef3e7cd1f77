package archive

import (
	"runtime"
	"slices"
	"sync"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/mmap"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// Guard runs f and turns a memory fault on mapped memory (the file was cut
// short by somebody else while it was mapped) into an error that matches
// layout.ErrTruncated and names the offset. It is meant round opening,
// verifying, iterating and batches; it is per goroutine. Memory that was mapped
// for adoption is guarded too. It runs f also after Close, since bytes that
// were given before may still be read.
func (m *Mapping) Guard(f func() error) error {
	if m.file == nil {
		return f()
	}
	err := mmap.Guard(func(address uintptr) bool {
		_, ok := m.offsetOf(address)
		return ok
	}, f)
	if fault, ok := err.(*mmap.Fault); ok {
		err = m.cutOff(fault)
	}
	runtime.KeepAlive(m)
	return err
}

// restoreFile is the advice for an archive that was cut short while it was open.
const restoreFile = "restore it and open it again"

// cutOff says where in the file a fault was.
func (m *Mapping) cutOff(fault *mmap.Fault) error {
	offset, _ := m.offsetOf(fault.Address)
	e := &layout.Error{File: m.name, Offset: offset, Kind: layout.ErrTruncated,
		Detail: "the file was cut short, or could not be read, while it was mapped", Advice: restoreFile}
	if m.header != nil {
		e.Region = disk.RegionAt(m.header, offset)
	}
	return e
}

// offsetOf returns the offset in the file that lies at an address.
func (m *Mapping) offsetOf(address uintptr) (offset int64, ok bool) {
	size := uintptr(len(m.data))
	if d := address - words.Address(m.data); d < size {
		return int64(d), true
	}
	if base, ok := m.adopted.find(address, size); ok {
		return int64(address - base), true
	}
	return 0, false
}

// addresses are the places at which a file is mapped for adoption.
type addresses struct {
	mu    sync.Mutex
	bases []uintptr
}

func (a *addresses) add(base uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bases = append(a.bases, base)
}

func (a *addresses) remove(base uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bases = slices.DeleteFunc(a.bases, func(b uintptr) bool { return b == base })
}

// find returns the base of the mapping of size bytes in which an address lies.
func (a *addresses) find(address, size uintptr) (base uintptr, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, base := range a.bases {
		if address-base < size {
			return base, true
		}
	}
	return 0, false
}
