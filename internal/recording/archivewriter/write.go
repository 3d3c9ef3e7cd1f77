package archivewriter

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

type Report struct {
	Counts layout.Counts
	Bytes  int64  // size of the file
	Base   uint64 // requested base
	DumpID [16]byte
	// Duplicates is the number of refused profiles.
	Duplicates int
	// Unaccounted has the counts by which the archive differs from its inputs without a reason.
	Unaccounted []ledger.Difference
}

func Publish(ctx context.Context, b *profileset.Set, path string) (Report, error) {
	b.Lock()
	defer b.Unlock()
	p, err := newPlan(ctx, b)
	if err != nil {
		return Report{}, err
	}
	defer p.close()
	if err := publish.At(ctx, path, func(f *publish.File) error { return p.writeFile(ctx, f) }); err != nil {
		return Report{}, err
	}
	return p.report(), nil
}

// Bytes returns the archive of b. The error matches layout.ErrTooLarge if it does not fit into the address space.
func Bytes(b *profileset.Set) ([]byte, Report, error) {
	b.Lock()
	defer b.Unlock()
	p, err := newPlan(context.Background(), b)
	if err != nil {
		return nil, Report{}, err
	}
	defer p.close()
	if n := p.header.FileSize; int64(int(n)) != n {
		return nil, Report{}, fmt.Errorf("builder: %w: %d bytes do not fit into the address space: write it to a file",
			layout.ErrTooLarge, n)
	}
	out := words.AlignedBytes(int(p.header.FileSize))
	if err := p.writeFile(context.Background(), memory(out)); err != nil {
		return nil, Report{}, err
	}
	return out, p.report(), nil
}

func (p *plan) report() Report {
	h := &p.header
	return Report{Counts: h.Counts, Bytes: h.FileSize, Base: h.Base, DumpID: h.DumpID, Duplicates: p.b.Duplicates,
		Unaccounted: p.unaccounted}
}

type memory []byte

func (m memory) WriteAt(b []byte, off int64) (int, error) {
	if off < 0 || off+int64(len(b)) > int64(len(m)) {
		return 0, fmt.Errorf("builder: wrote [%d, +%d) of an archive of %d bytes", off, len(b), len(m))
	}
	return copy(m[off:], b), nil
}

// writeFile writes the checksummed part of the file from front to back, and then the header and the page checksums.
func (p *plan) writeFile(ctx context.Context, w io.WriterAt) error {
	p.collect()
	s := newSheets(ctx, w, &p.header, p.workers(), p.b.Progress)
	s.writeRegion(disk.RegionIX, p.encodeIX())
	p.writeRO(s)
	s.writeRegion(disk.RegionBM, p.pointers.Encode(disk.RefOf(p.regionStart(disk.RegionBM))))
	p.pointers = nil // free the memory before the next regions
	s.writeRegion(disk.RegionEX, p.encodeEX())
	failed := p.guard(func() error { return p.writeBlocks(ctx, s) })
	sums, err := s.finish()
	if err = cmp.Or(failed, err); err != nil {
		return err
	}
	p.header.SumRoot = disk.SumTreeOf(&p.header).ComputeLevels(sums)
	if p.header.DumpID == ([16]byte{}) {
		p.header.DumpID = disk.ContentID(disk.AppendHeader(nil, &p.header)) // SumRoot covers the rest of the file
	}
	_, err = w.WriteAt(append(disk.AppendHeader(nil, &p.header), sums...), 0)
	return err
}

func (p *plan) writeBlocks(ctx context.Context, s *sheets) error {
	var block []byte
	for i := range p.profiles {
		if i%intern.LongSort == 0 {
			if ctx.Err() != nil {
				return nil // sheets.finish returns the error
			}
			p.view.Forget()
		}
		p.fetchBlocks(i)
		block = p.appendBlock(block[:0], i)
		s.writeRegion(disk.RegionRW, block)
	}
	return nil
}

func (p *plan) workers() int {
	if n := p.b.Workers; n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// sheetSize is the unit of writing, 2 MiB at a multiple of 2 MiB. The page cache keeps a sheet that is written in one
// call in one large page, which is cheap to map.
const sheetSize = 1 << disk.LargeShift

// sheets writes the checksummed part of a file from front to back. Several goroutines compute the checksums and write
// the sheets.
type sheets struct {
	ctx      context.Context
	w        io.WriterAt
	header   *layout.Header
	tree     disk.SumTree
	sums     []byte // bytes from ps to the checksummed part; one slot per page
	progress func(done, total int64)

	at    int64 // offset of the next byte
	sheet []byte
	full  chan fullSheet
	spare chan []byte // buffers of sheetSize; capacity for all of them
	wait  sync.WaitGroup

	mu   sync.Mutex
	done int64
	err  error
}

type fullSheet struct {
	offset int64
	bytes  []byte
}

func newSheets(ctx context.Context, w io.WriterAt, h *layout.Header, workers int,
	progress func(done, total int64)) *sheets {
	s := &sheets{
		ctx: ctx, w: w, header: h, tree: disk.SumTreeOf(h), progress: progress,
		sums: make([]byte, disk.ChecksummedSpan(h).Offset-disk.RegionOf(h, disk.RegionPS).Offset),
		at:   disk.ChecksummedSpan(h).Offset,
		full: make(chan fullSheet, workers), spare: make(chan []byte, 2*workers+1),
	}
	s.sheet = s.empty()
	for range workers {
		s.wait.Go(s.drain)
	}
	return s
}

func (s *sheets) empty() []byte {
	n := min(sheetSize-s.at%sheetSize, s.header.FileSize-s.at)
	if n == sheetSize {
		select {
		case b := <-s.spare:
			return b[:0]
		default:
		}
	}
	return fastmem.AllocateLarge[byte](int(n))[:0]
}

func (s *sheets) writeRegion(r layout.Region, b []byte) {
	s.pad(disk.RegionOf(s.header, r).Offset)
	s.append(b)
}

var zeroPage [disk.PageSize]byte

func (s *sheets) pad(to int64) {
	for s.at < to {
		s.append(zeroPage[:min(to-s.at, disk.PageSize)])
	}
}

func (s *sheets) append(b []byte) {
	for len(b) > 0 {
		if s.at == s.header.FileSize {
			s.noteWritten(0, fmt.Errorf("builder: %d bytes more than planned", len(b)))
			return
		}
		n := min(len(b), cap(s.sheet)-len(s.sheet))
		s.sheet = append(s.sheet, b[:n]...)
		s.at += int64(n)
		b = b[n:]
		if len(s.sheet) == cap(s.sheet) {
			s.turnSheet()
		}
	}
}

func (s *sheets) turnSheet() {
	s.full <- fullSheet{s.at - int64(len(s.sheet)), s.sheet}
	s.sheet = s.empty()
}

// finish waits for the last sheet. It returns the bytes from the start of ps to the checksummed part, which hold the
// checksums of all pages.
func (s *sheets) finish() (ps []byte, err error) {
	s.pad(s.header.FileSize)
	close(s.full)
	s.wait.Wait()
	return s.sums, s.err
}

func (s *sheets) drain() {
	for f := range s.full {
		if !s.failed() {
			s.checksumPages(f)
			_, err := s.w.WriteAt(f.bytes, f.offset)
			s.noteWritten(len(f.bytes), err)
		}
		if cap(f.bytes) == sheetSize {
			s.spare <- f.bytes
		}
	}
}

func (s *sheets) checksumPages(f fullSheet) {
	for b, at := f.bytes, f.offset; len(b) > 0; {
		page := s.tree.Page(at)
		n := s.tree.PageSpan(page).Size
		binary.LittleEndian.PutUint64(s.sums[s.tree.SlotOffset(0, page):], disk.Checksum(b[:n]))
		b = b[n:]
		at += n
	}
}

func (s *sheets) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

func (s *sheets) noteWritten(n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		err = s.ctx.Err()
	}
	if s.err == nil {
		s.err = err
	}
	s.done += int64(n)
	if s.progress != nil {
		s.progress(s.done, disk.ChecksummedSpan(s.header).Size)
	}
}
