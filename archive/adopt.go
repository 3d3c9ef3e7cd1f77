package archive

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/mmap"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// Base says where an adopted archive is to lie.
type Base int

// The choices.
const (
	BaseRequested Base = iota // at the base the archive asks for, if it is free, else anywhere
	BaseAnywhere              // wherever the system puts it
)

// An Adopted is a second mapping of an archive in which rw may be written:
// private and copy-on-write. It keeps its Mapping alive, and its memory stays as
// long as it is reachable.
type Adopted struct {
	mapping     *Mapping
	base        uint64
	atRequested bool
	rw, late    []byte
}

// Adopt maps the archive for adoption. late is the number of bytes of zeroed,
// writable memory to provide next to it. Nothing is relocated, and no page is
// checked here. Pages that the Mapping has checked are the same pages of the same
// file, as long as nobody writes to the file in place.
//
// Of an archive on the heap rw alone is copied. Its Base is then the address at
// which the file would have to begin for rw to lie where it lies: base +
// offset is the address of a byte of rw, and a mere number for any other byte.
// Go code, which takes the base off again, needs no more; native code that
// follows pointers out of rw needs a mapped archive.
func (m *Mapping) Adopt(base Base, late int) (*Adopted, error) {
	switch {
	case m.closed.Load():
		return nil, m.closedError()
	case late < 0:
		return nil, fmt.Errorf("adopt %s: %d bytes of late memory", m.name, late)
	case !words.LittleEndian():
		return nil, fmt.Errorf("adopt %s: %w: counters are little-endian, this machine is not: use the archive without adopting it", m.name, errors.ErrUnsupported)
	case m.file == nil:
		return m.adoptCopy(late), nil
	}
	return m.adoptMapped(base, late)
}

// adoptCopy adopts an archive on the heap. Late memory lies after the copy of
// rw in one piece, so that no address of it can be taken for one of the archive.
func (m *Mapping) adoptCopy(late int) *Adopted {
	rw := m.spans[layout.RegionRW]
	memory := words.Aligned(int(rw.Size) + late + disk.Unit) // one address at least
	copy(memory, m.data[rw.Offset:rw.End()])
	return &Adopted{
		mapping: m,
		base:    uint64(words.Address(memory)) - uint64(rw.Offset),
		rw:      memory[:rw.Size:rw.Size],
		late:    memory[rw.Size : rw.Size+int64(late)],
	}
}

// adoptMapped maps the file a second time.
func (m *Mapping) adoptMapped(base Base, late int) (*Adopted, error) {
	if err := m.checkSize(); err != nil {
		return nil, err
	}
	plan := mmap.Plan{Size: m.header.FileSize, RW: m.spans[layout.RegionRW].Offset, Late: int64(late)}
	if base == BaseRequested {
		plan.Base = m.header.Base
	}
	p, err := mmap.NewPrivate(m.file, plan)
	if err != nil {
		return nil, m.adoptError(err)
	}
	a := &Adopted{mapping: m, base: uint64(p.Base()), rw: p.RW(), late: p.Late()}
	a.atRequested = a.base == m.header.Base
	m.adopted.add(p.Base())
	runtime.AddCleanup(a, func(p *mmap.Private) {
		m.adopted.remove(p.Base())
		p.Unmap()
	}, p)
	return a, nil
}

// checkSize refuses a file that was cut short since it was opened.
func (m *Mapping) checkSize() error {
	info, err := m.file.Stat()
	if err != nil {
		return m.adoptError(err)
	}
	if info.Size() < m.header.FileSize {
		return &layout.Error{File: m.name, Region: disk.RegionAt(m.header, info.Size()), Offset: info.Size(), Kind: layout.ErrTruncated,
			Detail: fmt.Sprintf("the file had %d bytes when it was opened and has %d now", m.header.FileSize, info.Size()), Advice: restoreFile}
	}
	return nil
}

// adoptError names the file, and what really happened if Close came between.
func (m *Mapping) adoptError(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return m.closedError()
	}
	return fmt.Errorf("adopt %s: %w", m.name, err)
}

// Base is the address at which the archive lies.
func (a *Adopted) Base() uint64 { return a.base }

// AtRequested reports whether it lies at the requested base, so that no
// pointer needs relocation.
func (a *Adopted) AtRequested() bool { return a.atRequested }

// RW is the writable rw region.
func (a *Adopted) RW() []byte { return a.rw }

// Late is the writable memory beside the archive.
func (a *Adopted) Late() []byte { return a.late }
