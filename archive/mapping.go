package archive

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/sparsebits"
	"github.com/profarc/profarc/layout"
)

// ErrClosed is what every call gives after Close.
var ErrClosed = errors.New("archive is closed")

// A Mapping is an open archive. It is safe for concurrent use.
type Mapping struct {
	name    string
	header  *layout.Header
	data    []byte                           // the whole file
	spans   [disk.NumRegions + 1]layout.Span // the places of the regions
	sums    *pageSums
	trusted bool            // no page needs checking any more
	checked *sparsebits.Set // pages of the file that were found sound
	file    *os.File        // what data is mapped from; nil if data is on the heap
	adopted addresses       // where the file is mapped for adoption
	closed  atomic.Bool
}

// Name is the path that was opened.
func (m *Mapping) Name() string { return m.name }

// Header is the decoded header. It must not be changed.
func (m *Mapping) Header() *layout.Header { return m.header }

// Bytes returns size bytes of the file from offset on, which must lie wholly
// inside region, after checking the pages they lie in. Errors are *layout.Error
// with file, region and offset, or match ErrClosed. It allocates nothing once
// the pages are checked. The bytes must not be written to.
func (m *Mapping) Bytes(region layout.Region, offset, size int64) ([]byte, error) {
	if err := m.Check(region, offset, size); err != nil {
		return nil, err
	}
	return m.data[offset : offset+size : offset+size], nil
}

// Check verifies the page sums that cover a range, as Bytes does, without
// returning the bytes.
func (m *Mapping) Check(region layout.Region, offset, size int64) error {
	if m.closed.Load() || region >= layout.Region(len(m.spans)) || !m.spans[region].Holds(offset, size) {
		return m.refuse(region, offset, size)
	}
	if m.trusted {
		return nil
	}
	last := (offset + size - 1) >> disk.PageShift
	for page := offset >> disk.PageShift; page <= last; page++ {
		// A page that begins with ps may be checked where ix begins in it.
		if region > layout.RegionPS && m.checked.Has(page) {
			continue
		}
		return m.touch(region, layout.Span{Offset: offset, Size: size})
	}
	return nil
}

// Unchecked returns the whole file, also after Close. Nothing in it may be
// believed before Check or Bytes passed it once, and it must not be written to.
// It is valid while m is reachable.
func (m *Mapping) Unchecked() []byte { return m.data }

// touch checks the pages that a part of a region lies in. The file may be cut
// off there, if somebody else does that.
func (m *Mapping) touch(region layout.Region, part layout.Span) error {
	return disk.InFile(m.Guard(func() error { return m.sums.touch(region, part) }), m.name)
}

// refuse says why there are no such bytes.
func (m *Mapping) refuse(region layout.Region, offset, size int64) error {
	if m.closed.Load() {
		return m.closedError()
	}
	if region >= layout.Region(len(m.spans)) {
		return disk.InFile(disk.Corrupt(region, offset, "there is no such region"), m.name)
	}
	s := m.spans[region]
	return disk.InFile(disk.Corrupt(region, offset, "%d bytes from 0x%x on lie outside [0x%x,0x%x)", size, offset, s.Offset, s.End()), m.name)
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
