package builder

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Report says what Commit wrote.
type Report struct {
	Counts layout.Counts
	Bytes  int64  // size of the file
	Base   uint64 // requested base
	DumpID [16]byte
}

// Commit lays out the archive and publishes it at path; see archive.Publish
// for what a kill leaves behind. The builder can be added to and committed
// again.
func (b *Builder) Commit(ctx context.Context, path string) (Report, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, err := b.plan(ctx)
	if err != nil {
		return Report{}, err
	}
	err = archive.Publish(ctx, path, func(f *archive.File) error { return p.write(ctx, f) })
	if err != nil {
		return Report{}, err
	}
	return p.report(), nil
}

// Bytes lays out the archive in memory.
func (b *Builder) Bytes() ([]byte, Report, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, err := b.plan(context.Background())
	if err != nil {
		return nil, Report{}, err
	}
	out := words.Aligned(int(p.header.FileSize))
	if err := p.write(context.Background(), memory(out)); err != nil {
		return nil, Report{}, err
	}
	return out, p.report(), nil
}

// Open lays the archive out in memory and opens it. Name stands for a file name in
// errors.
func (b *Builder) Open(name string) (*reader.Store, error) {
	data, _, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	m, err := archive.FromBytes(name, data, archive.Options{Check: archive.CheckNone})
	if err != nil {
		return nil, err
	}
	return reader.New(m), nil
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
	s := newSheets(ctx, w, &p.header, p.workers(), p.b.config.Progress)
	s.write(layout.RegionIX, ix)
	p.writeRO(s)
	s.write(layout.RegionBM, p.pointers.Region(disk.RefOf(p.regionStart(layout.RegionBM))))
	s.write(layout.RegionEX, p.encodeEX())
	var block []byte
	for i := range p.profiles {
		if i%longSort == 0 && ctx.Err() != nil {
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
	if n := p.b.config.Workers; n > 0 {
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
