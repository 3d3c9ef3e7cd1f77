// Package mapped opens and maps the file of an archive, checks its pages on first use, maps it again for adoption, and
// verifies it. Package archive is the public API. Packages of this module convert an *archive.Mapping to a [*Mapping].
//
// # Page checks
//
// The region ps has the page checksums. They are checksummed in turn, 64 at a time, in levels up to the root in the
// header:
//
//	header: root
//	   |
//	level 2   one checksum for 64 of level 1     (16 MiB of the file)
//	   |
//	level 1   one checksum for 64 of level 0     (256 KiB of the file)
//	   |
//	level 0   one checksum per page              (4 KiB of the file)
//
// The first access to a page checks the checksums on the path from the root that are not verified yet. One bit in
// ordinary memory records each verified page and each verified group of 64 checksums. Nothing is hashed twice, unless
// two goroutines access it for the first time at once.
//
// # Lifetimes
//
// The memory of a mapping stays valid while the [Mapping] is reachable. A value that keeps such bytes must also keep
// the Mapping and call runtime.KeepAlive after the last access. An [Adopted] keeps its Mapping, and its own memory is
// released in the same way.
package mapped

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/sparsebits"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// ErrClosed is the error of every call after Close.
var ErrClosed = errors.New("archive is closed")

// A Mapping is an open archive. It is safe for concurrent use.
type Mapping struct {
	name          string
	header        *layout.Header
	shape         disk.Shape
	data          []byte                           // the whole file
	spans         [disk.NumRegions + 1]layout.Span // span of each region
	checksums     *pageChecksums
	trusted       bool            // whether all page checks are done or disabled
	checked       *sparsebits.Set // verified pages of the file
	file          *os.File        // mapped file; nil if data is on the heap
	fetcher       *pageFetcher    // reader of an archive in ranges; otherwise nil
	adopted       adoptedBases    // addresses of adopted mappings
	randomTouches atomic.Int32    // remaining first accesses before read-ahead is enabled
	closed        atomic.Bool
}

// randomTouchLimit is the number of first accesses to pages after which the system is told to read ahead. Lookups
// alone access pages that are megabytes apart, so reading ahead would not help them.
const randomTouchLimit = 32

// Sweep tells the system to read ahead, since much of the file will be read in order. It is needed only before
// reading bytes that were not obtained from Bytes.
func (m *Mapping) Sweep() {
	if m.randomTouches.Swap(0) > 0 {
		mmap.AdviseRandom(m.data, false)
	}
	runtime.KeepAlive(m)
}

func (m *Mapping) Name() string { return m.name }

// Header returns the decoded header. It must not be changed.
func (m *Mapping) Header() *layout.Header { return m.header }
func (m *Mapping) Shape() disk.Shape      { return m.shape }

// Bytes returns size bytes at an offset in the file, which must lie inside region, after checking their pages. Errors
// are *layout.Error with file, region and offset, or match ErrClosed. It allocates nothing once the pages are
// checked. The bytes must not be written to.
func (m *Mapping) Bytes(region layout.Region, offset, size int64) ([]byte, error) {
	if err := m.Check(region, offset, size); err != nil {
		return nil, err
	}
	return m.data[offset : offset+size : offset+size], nil
}

// Check verifies the checksums of the pages of a range, as Bytes does.
func (m *Mapping) Check(region layout.Region, offset, size int64) error {
	if m.closed.Load() || region >= layout.Region(len(m.spans)) || !m.spans[region].Holds(offset, size) {
		return m.rangeError(region, offset, size)
	}
	if m.trusted {
		return nil
	}
	last := (offset + size - 1) >> disk.PageShift
	for page := offset >> disk.PageShift; page <= last; page++ {
		// A page that begins in ps may be checked only from the start of ix on.
		if region > disk.RegionPS && m.checked.Has(page) {
			continue
		}
		return m.checkPages(region, layout.Span{Offset: offset, Size: size})
	}
	return nil
}

// Unchecked returns the whole file, even after Close. Use only bytes that passed Check or Bytes before, and do not
// write to it. It is valid while m is reachable.
func (m *Mapping) Unchecked() []byte { return m.data }

// checkPages checks the pages of a part of a region. It handles the fault if another process has truncated the file.
func (m *Mapping) checkPages(region layout.Region, part layout.Span) error {
	if m.randomTouches.Load() > 0 && m.randomTouches.Add(-1) == 0 {
		mmap.AdviseRandom(m.data, false)
	}
	return disk.WithFileName(m.Guard(func() error { return m.checksums.checkRange(region, part) }), m.name)
}

func (m *Mapping) rangeError(region layout.Region, offset, size int64) error {
	if m.closed.Load() {
		return m.closedError()
	}
	if region >= layout.Region(len(m.spans)) {
		return disk.WithFileName(disk.Corrupt(region, offset, "there is no such region"), m.name)
	}
	s := m.spans[region]
	return disk.WithFileName(disk.Corrupt(region, offset, "%d bytes from 0x%x on lie outside [0x%x,0x%x)", size, offset,
		s.Offset, s.End()), m.name)
}

func (m *Mapping) closedError() error { return fmt.Errorf("%s: %w", m.name, ErrClosed) }
func (m *Mapping) Closed() bool       { return m.closed.Load() }

// Close makes every later call fail with ErrClosed. It can be called twice. The memory remains valid while the
// Mapping is reachable.
func (m *Mapping) Close() error {
	if m.closed.Swap(true) || m.file == nil {
		return nil
	}
	return m.file.Close()
}

// Guard runs f and converts a fault on mapped memory to an error that matches layout.ErrTruncated and names the offset.
// Such a fault occurs if another process truncates the file while it is mapped. Guard is too expensive for a single
// access. Use it around opening, verifying, iterating and batches. It covers only the calling goroutine, and also
// memory mapped for adoption. It runs f even after Close, since earlier results may still be read.
func (m *Mapping) Guard(f func() error) error {
	if m.file == nil {
		return f()
	}
	err := mmap.Guard(func(address uintptr) bool {
		_, ok := m.offsetOf(address)
		return ok
	}, f)
	if fault, ok := err.(*mmap.Fault); ok {
		err = m.faultError(fault)
	}
	runtime.KeepAlive(m)
	return err
}

const restoreAdvice = "restore it and open it again"

func (m *Mapping) faultError(fault *mmap.Fault) error {
	offset, _ := m.offsetOf(fault.Address)
	e := &layout.Error{File: m.name, Offset: offset, Kind: layout.ErrTruncated,
		Detail: "the file was cut short, or could not be read, while it was mapped", Advice: restoreAdvice}
	if m.header != nil {
		e.Region = disk.RegionAt(m.header, offset)
	}
	return e
}

func (m *Mapping) offsetOf(address uintptr) (offset int64, ok bool) {
	size := uintptr(len(m.data))
	if d := address - words.AddressOfBytes(m.data); d < size {
		return int64(d), true
	}
	if base, ok := m.adopted.findBase(address, size); ok {
		return int64(address - base), true
	}
	return 0, false
}

type adoptedBases struct {
	mu    sync.Mutex
	bases []uintptr
}

func (a *adoptedBases) addBase(base uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bases = append(a.bases, base)
}

func (a *adoptedBases) removeBase(base uintptr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bases = slices.DeleteFunc(a.bases, func(b uintptr) bool { return b == base })
}

func (a *adoptedBases) findBase(address, size uintptr) (base uintptr, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, base := range a.bases {
		if address-base < size {
			return base, true
		}
	}
	return 0, false
}

// Prefetch starts loading the cache line at each offset, without waiting. Nothing is checked, and offsets outside the
// file are ignored. Call it within [Mapping.Guard], since it reads on CPUs without a prefetch instruction.
func (m *Mapping) Prefetch(places []int64) {
	if !m.closed.Load() {
		fastmem.Prefetch(m.data, places)
	}
	runtime.KeepAlive(m)
}

// ContextRecord returns the context record at n, whose pages a reader has checked.
func (m *Mapping) ContextRecord(n layout.Ref) disk.ContextRecord {
	rec := disk.ParseContext(m.data[n.Offset():])
	runtime.KeepAlive(m)
	return rec
}

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
