package mapped

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// A Base chooses the address at which an archive is adopted.
type Base int

const (
	BaseRequested Base = iota // the archive's requested base if it is free, else any address
	BaseAnywhere              // any address
)

// An Adopted is a second mapping of an archive, private and copy-on-write, with a writable region rw. It keeps its
// Mapping alive. Its memory is valid while it is reachable.
type Adopted struct {
	Base        uint64 // address of the archive
	AtRequested bool   // Base is the requested base, so that no pointer needs relocation
	RW          []byte // region rw, writable
	Late        []byte // late memory next to the archive

	mapping *Mapping
}

// Adopt maps the archive for adoption. late is the number of bytes of zeroed, writable memory to allocate next to it.
// Nothing is relocated and no page is checked. Pages that the Mapping has checked stay valid unless the file is
// overwritten.
//
// For an archive on the heap, Adopt copies only rw, after reading it if the archive is read in ranges. Base is then
// the address of the copy minus the offset of rw, so base + offset is a valid address for bytes of rw only. This is
// sufficient for Go code, which subtracts the base again. Native code that follows pointers out of rw needs a mapped
// archive.
func (m *Mapping) Adopt(base Base, late int) (*Adopted, error) {
	if err := disk.CheckWritable(m.header); err != nil {
		return nil, disk.WithFileName(err, m.name)
	}
	switch {
	case m.closed.Load():
		return nil, m.closedError()
	case late < 0:
		return nil, fmt.Errorf("adopt %s: %d bytes of late memory", m.name, late)
	case !words.LittleEndian():
		return nil,
			fmt.Errorf("adopt %s: %w: counters are little-endian, this machine is not: use the archive without adopting it",
				m.name, errors.ErrUnsupported)
	case m.file == nil:
		return m.adoptCopy(late)
	}
	return m.adoptMapped(base, late)
}

// Populate copies the pages of a part of RW at once, where the system can do that, instead of one per page fault. Use
// it for pages that will nearly all be written. It returns whether they were copied.
func (a *Adopted) Populate(part []byte) bool {
	defer runtime.KeepAlive(a)
	return a.mapping.file == nil || mmap.Populate(part)
}

// Prefetch starts loading the cache line at each address, without waiting. Addresses outside the archive are harmless.
// On CPUs without a prefetch instruction it does nothing, since other threads increment counters in this memory.
func (a *Adopted) Prefetch(addresses []uintptr) {
	fastmem.PrefetchLines(addresses)
	runtime.KeepAlive(a)
}

// adoptCopy adopts an archive on the heap. Late memory follows the copy of rw in the same allocation, so that its
// addresses are not addresses of the archive.
func (m *Mapping) adoptCopy(late int) (*Adopted, error) {
	rw := m.spans[disk.RegionRW]
	if rw.Size > math.MaxInt-disk.Unit-int64(late) {
		return nil, m.adoptError(fmt.Errorf("%w: %d and %d bytes do not fit into the address space", layout.ErrTooLarge,
			rw.Size, late))
	}
	if m.fetcher != nil {
		if err := m.fetcher.fetchSpan(rw); err != nil {
			return nil, m.adoptError(err)
		}
	}
	memory := words.AlignedBytes(int(rw.Size) + late + disk.Unit) // the allocation must not be empty
	copy(memory, m.data[rw.Offset:rw.End()])
	return &Adopted{mapping: m, Base: uint64(words.AddressOfBytes(memory)) - uint64(rw.Offset),
		RW: memory[:rw.Size:rw.Size], Late: memory[rw.Size : rw.Size+int64(late)]}, nil
}

func (m *Mapping) adoptMapped(base Base, late int) (*Adopted, error) {
	if err := m.checkFileSize(); err != nil {
		return nil, err
	}
	plan := mmap.Plan{Size: m.header.FileSize, RW: m.spans[disk.RegionRW].Offset, Late: int64(late)}
	if base == BaseRequested {
		plan.Base = m.header.Base
	}
	p, err := mmap.NewPrivate(m.file, plan)
	if err != nil {
		return nil, m.adoptError(err)
	}
	a := &Adopted{mapping: m, Base: uint64(p.Base()), RW: p.RW(), Late: p.Late()}
	a.AtRequested = a.Base == m.header.Base
	m.adopted.addBase(p.Base())
	runtime.AddCleanup(a, func(p *mmap.Private) {
		m.adopted.removeBase(p.Base())
		p.Unmap()
	}, p)
	return a, nil
}

func (m *Mapping) checkFileSize() error {
	info, err := m.file.Stat()
	if err != nil {
		return m.adoptError(err)
	}
	if info.Size() < m.header.FileSize {
		return &layout.Error{File: m.name, Region: disk.RegionAt(m.header, info.Size()), Offset: info.Size(),
			Kind:   layout.ErrTruncated,
			Detail: fmt.Sprintf("the file had %d bytes when it was opened and has %d now", m.header.FileSize, info.Size()),
			Advice: restoreAdvice}
	}
	return nil
}

// adoptError adds the file name to err. It returns the closed error if Close was called meanwhile.
func (m *Mapping) adoptError(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return m.closedError()
	}
	return fmt.Errorf("adopt %s: %w", m.name, err)
}
