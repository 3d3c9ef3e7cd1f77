// Package mapped has the file of an archive: it opens and maps it, checks its pages as they are touched, maps it
// again for adoption, and verifies it. Package archive is its face for embedders; packages of this module convert
// an *archive.Mapping to a [*Mapping] and have all of it.
//
// # Page checks
//
// The sums of the pages lie in the region ps and are summed themselves, 64 at a
// time, in levels up to the root, which is in the header:
//
//	header: root
//	   |
//	level 2   one sum for 64 sums of level 1     (16 MiB of the file)
//	   |
//	level 1   one sum for 64 sums of level 0     (256 KiB of the file)
//	   |
//	level 0   one sum for a page                 (4 KiB of the file)
//
// The first touch of a page checks the sums not checked yet on the way down from
// the root. One bit in ordinary memory remembers each page and each 64 sums, so
// that nothing is hashed twice, except when two goroutines touch it first at once.
//
// # Lifetimes
//
// Memory of a mapping stays valid as long as the [Mapping] is reachable: a value that keeps such bytes must keep
// the Mapping too, and call runtime.KeepAlive after its last access. [Adopted] keeps its Mapping, and its own
// memory is released in the same way.
package mapped

import (
	"errors"
	"fmt"
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
	spans         [disk.NumRegions + 1]layout.Span // where the regions lie
	checksums     *pageChecksums
	trusted       bool            // no page needs a check any more
	checked       *sparsebits.Set // pages of the file that were found sound
	file          *os.File        // the file that is mapped; nil if data is on the heap
	fetcher       *pageFetcher    // of an archive that is read in ranges; otherwise nil
	adopted       adoptedBases    // the mappings for adoption
	randomTouches atomic.Int32    // touches that are left until pages are no longer thought to lie far apart
	closed        atomic.Bool
}

// randomTouchLimit is how many first touches of pages come before the system is told that more
// of the file is being read than lookups need. Until then it reads no page ahead: a
// lookup touches pages that lie megabytes apart.
const randomTouchLimit = 32

// Sweep tells the system that much of the file will be read, one page after the other. It
// is only needed where bytes are read that are not fetched by Bytes.
func (m *Mapping) Sweep() {
	if m.randomTouches.Swap(0) > 0 {
		mmap.FarApart(m.data, false)
	}
	runtime.KeepAlive(m)
}

// Name returns the path that was opened.
func (m *Mapping) Name() string { return m.name }

// Header returns the decoded header. It must not be changed.
func (m *Mapping) Header() *layout.Header { return m.header }

// Shape returns what decides the cells of entries.
func (m *Mapping) Shape() disk.Shape { return m.shape }

// Bytes returns size bytes of the file from offset on, which must lie wholly inside region, after checking
// the pages they lie in. Errors are *layout.Error with file, region and offset, or match ErrClosed. It
// allocates nothing once the pages are checked. The bytes must not be written to.
func (m *Mapping) Bytes(region layout.Region, offset, size int64) ([]byte, error) {
	if err := m.Check(region, offset, size); err != nil {
		return nil, err
	}
	return m.data[offset : offset+size : offset+size], nil
}

// Check verifies the page sums that cover a range, as Bytes does, without returning the bytes.
func (m *Mapping) Check(region layout.Region, offset, size int64) error {
	if m.closed.Load() || region >= layout.Region(len(m.spans)) || !m.spans[region].Holds(offset, size) {
		return m.rangeError(region, offset, size)
	}
	if m.trusted {
		return nil
	}
	last := (offset + size - 1) >> disk.PageShift
	for page := offset >> disk.PageShift; page <= last; page++ {
		// A page that begins with ps may be checked where ix begins in it.
		if region > disk.RegionPS && m.checked.Has(page) {
			continue
		}
		return m.checkPages(region, layout.Span{Offset: offset, Size: size})
	}
	return nil
}

// Unchecked returns the whole file, also after Close. Use only bytes that passed Check or
// Bytes once, and do not write to it. It is valid while m is reachable.
func (m *Mapping) Unchecked() []byte { return m.data }

// checkPages checks the pages of a part of a region. Another process may have cut the file off there.
func (m *Mapping) checkPages(region layout.Region, part layout.Span) error {
	if m.randomTouches.Load() > 0 && m.randomTouches.Add(-1) == 0 {
		mmap.FarApart(m.data, false)
	}
	return disk.InFile(m.Guard(func() error { return m.checksums.checkRange(region, part) }), m.name)
}

// rangeError returns the error of a range that cannot be read.
func (m *Mapping) rangeError(region layout.Region, offset, size int64) error {
	if m.closed.Load() {
		return m.closedError()
	}
	if region >= layout.Region(len(m.spans)) {
		return disk.InFile(disk.Corrupt(region, offset, "there is no such region"), m.name)
	}
	s := m.spans[region]
	return disk.InFile(disk.Corrupt(region, offset, "%d bytes from 0x%x on lie outside [0x%x,0x%x)", size, offset,
		s.Offset, s.End()), m.name)
}

func (m *Mapping) closedError() error { return fmt.Errorf("%s: %w", m.name, ErrClosed) }

// Closed reports whether Close was called.
func (m *Mapping) Closed() bool { return m.closed.Load() }

// Close makes every later call fail with ErrClosed. Closing twice is fine. The
// memory stays until the Mapping is unreachable.
func (m *Mapping) Close() error {
	if m.closed.Swap(true) || m.file == nil {
		return nil
	}
	return m.file.Close()
}

// Guard runs f and turns a fault on mapped memory into an error that matches layout.ErrTruncated and names
// the offset. Such a fault occurs if another process cuts the file short while it is mapped. Guard costs too
// much for a single access: use it around opening, verifying, iterating and batches. It guards the goroutine
// that calls it, and memory mapped for adoption too. It runs f also after Close, since bytes that were
// returned before may still be read.
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

// restoreAdvice is the advice for an archive that was cut short while it was open.
const restoreAdvice = "restore it and open it again"

// faultError returns the error of a fault, with its offset in the file.
func (m *Mapping) faultError(fault *mmap.Fault) error {
	offset, _ := m.offsetOf(fault.Address)
	e := &layout.Error{File: m.name, Offset: offset, Kind: layout.ErrTruncated,
		Detail: "the file was cut short, or could not be read, while it was mapped", Advice: restoreAdvice}
	if m.header != nil {
		e.Region = disk.RegionAt(m.header, offset)
	}
	return e
}

// offsetOf returns the offset in the file that is at an address.
func (m *Mapping) offsetOf(address uintptr) (offset int64, ok bool) {
	size := uintptr(len(m.data))
	if d := address - words.Address(m.data); d < size {
		return int64(d), true
	}
	if base, ok := m.adopted.findBase(address, size); ok {
		return int64(address - base), true
	}
	return 0, false
}

// adoptedBases are the bases of the mappings for adoption.
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

// findBase returns the base of the mapping of size bytes in which an address is.
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

// Prefetch starts loading the bytes at each of the offsets into the CPU caches, without
// waiting for them. Nothing is checked; offsets outside the file are ignored. Call it
// within [Mapping.Guard]: on CPUs without a prefetch instruction it reads.
func (m *Mapping) Prefetch(places []int64) {
	if !m.closed.Load() {
		fastmem.Prefetch(m.data, places)
	}
	runtime.KeepAlive(m)
}
