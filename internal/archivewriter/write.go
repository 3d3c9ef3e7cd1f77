package archivewriter

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// Options say how an archive is written.
type Options struct {
	Workers  int // goroutines; GOMAXPROCS if 0
	Progress func(done, total int64)
}

// A Report says what was written.
type Report struct {
	Counts layout.Counts
	Bytes  int64  // size of the file
	Base   uint64 // requested base
	DumpID [16]byte
}

// Publish lays an archive out and publishes it at path.
func Publish(ctx context.Context, b *profileset.Set, path string, o Options) (Report, error) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	p, err := newPlan(ctx, b, o)
	if err != nil {
		return Report{}, err
	}
	if err := archive.Publish(ctx, path, func(f *archive.File) error { return p.write(ctx, f) }); err != nil {
		return Report{}, err
	}
	return p.report(), nil
}

// Bytes lays an archive out in memory.
func Bytes(b *profileset.Set, o Options) ([]byte, Report, error) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	p, err := newPlan(context.Background(), b, o)
	if err != nil {
		return nil, Report{}, err
	}
	out := words.Aligned(int(p.header.FileSize))
	if err := p.write(context.Background(), memory(out)); err != nil {
		return nil, Report{}, err
	}
	return out, p.report(), nil
}

func (p *plan) report() Report {
	h := &p.header
	return Report{Counts: h.Counts, Bytes: h.FileSize, Base: h.Base, DumpID: h.DumpID}
}

// memory is a file in memory.
type memory []byte

func (m memory) WriteAt(b []byte, off int64) (int, error) {
	if off < 0 || off+int64(len(b)) > int64(len(m)) {
		return 0, fmt.Errorf("builder: wrote [%d, +%d) of an archive of %d bytes", off, len(b), len(m))
	}
	return copy(m[off:], b), nil
}

// write writes the whole file: what the page sums cover from front to back,
// then the sums and the header.
func (p *plan) write(ctx context.Context, w io.WriterAt) error {
	ix, err := p.encodeIX()
	if err != nil {
		return err
	}
	s := newSheets(ctx, w, &p.header, p.workers(), p.options.Progress)
	s.write(layout.RegionIX, ix)
	p.writeRO(s)
	s.write(layout.RegionBM, p.pointers.Region(disk.RefOf(p.regionStart(layout.RegionBM))))
	s.write(layout.RegionEX, p.encodeEX())
	var block []byte
	for i := range p.profiles {
		if i%intern.LongSort == 0 && ctx.Err() != nil {
			break // the sheets keep the error
		}
		p.fetchBlocks(i)
		block = p.appendBlock(block[:0], i)
		s.write(layout.RegionRW, block)
	}
	sums, err := s.finish()
	if err != nil {
		return err
	}
	p.header.SumRoot = disk.SumTreeOf(&p.header).Fill(sums)
	if p.header.DumpID == ([16]byte{}) {
		p.header.DumpID = p.identity()
	}
	if _, err := w.WriteAt(append(disk.AppendHeader(nil, &p.header), sums...), 0); err != nil {
		return err
	}
	return nil
}

func (p *plan) workers() int {
	if n := p.options.Workers; n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// identity derives the identity of a dump from all that the archive holds.
func (p *plan) identity() (id [16]byte) {
	header := disk.AppendHeader(nil, &p.header)
	low, high := disk.Sum(append(header, 0)), disk.Sum(append(header, 1))
	binary.LittleEndian.PutUint64(id[:], low)
	binary.LittleEndian.PutUint64(id[8:], high)
	return id
}
