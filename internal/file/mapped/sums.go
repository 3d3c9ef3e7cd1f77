package mapped

import (
	"context"
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/sparsebits"
	"github.com/profarc/profarc/layout"
)

type pageChecksums struct {
	tree    disk.SumTree
	root    uint64
	data    []byte       // the whole file
	fetcher *pageFetcher // reads missing pages of data, or nil
	ps      layout.Span  // span of the checksums in data
	// checked has a bit for every page of the file, then one for every group of 64 checksums, level by level.
	checked *sparsebits.Set
	groups  []int64 // per level: bit of its first group
}

// newPageChecksums takes nearly constant time. Only the size of the set depends on the file size.
func newPageChecksums(h *layout.Header, data []byte) *pageChecksums {
	s := &pageChecksums{tree: disk.SumTreeOf(h), root: h.SumRoot, data: data, ps: disk.RegionOf(h, disk.RegionPS)}
	bits := (h.FileSize + disk.PageSize - 1) >> disk.PageShift
	for level := range s.tree.Levels() {
		s.groups = append(s.groups, bits)
		bits += s.groupCount(level)
	}
	s.checked = sparsebits.New(bits)
	return s
}

func (s *pageChecksums) groupCount(level int) int64 {
	if level+1 < s.tree.Levels() {
		return s.tree.Count(level + 1)
	}
	return 1
}

// checkRange checks the unverified pages of a part of a region. Errors have that region, even if its first page
// begins in the region before and is damaged there.
func (s *pageChecksums) checkRange(region layout.Region, part layout.Span) error {
	switch {
	case region == disk.RegionHeader || part.Size == 0:
		return nil
	case region == disk.RegionPS:
		return s.checkSumsRange(part)
	}
	last := s.tree.Page(part.End() - 1)
	for n := s.tree.Page(part.Offset); n <= last; n++ {
		if err := s.checkPageOnce(region, n, last); err != nil {
			return err
		}
	}
	return nil
}

func (s *pageChecksums) checkPageOnce(region layout.Region, n, last int64) error {
	bit := s.tree.PageSpan(n).Offset >> disk.PageShift
	if s.checked.Has(bit) {
		return nil
	}
	if err := s.checkGroupOnce(0, disk.GroupOf(n)); err != nil {
		return err
	}
	if err := s.checkPage(region, n, last); err != nil {
		return err
	}
	s.checked.Add(bit)
	return nil
}

func (s *pageChecksums) checkGroupOnce(level int, group int64) error {
	bit := s.groups[level] + group
	if s.checked.Has(bit) {
		return nil
	}
	if level+1 < s.tree.Levels() {
		if err := s.checkGroupOnce(level+1, disk.GroupOf(group)); err != nil {
			return err
		}
	}
	if err := s.checkGroup(level, group); err != nil {
		return err
	}
	s.checked.Add(bit)
	return nil
}

func (s *pageChecksums) checkSumsRange(part layout.Span) error {
	for level := range s.tree.Levels() {
		for group := range s.groupCount(level) {
			g := s.groupSpan(level, group)
			if g.Offset >= part.End() || g.End() <= part.Offset {
				continue
			}
			if err := s.checkGroupOnce(level, group); err != nil {
				return err
			}
		}
	}
	return s.checkPadding(part)
}

// checkPage compares page n with its checksum. If pages are missing it first fetches them up to page last.
func (s *pageChecksums) checkPage(region layout.Region, n, last int64) error {
	if s.fetcher != nil {
		from := s.tree.PageSpan(n).Offset
		if err := s.fetcher.fetchOnTouch(layout.Span{Offset: from, Size: s.tree.PageSpan(last).End() - from}); err != nil {
			return err
		}
	}
	return s.compareChecksum(region, s.tree.PageSpan(n), s.storedChecksum(0, n))
}

func (s *pageChecksums) checkGroup(level int, group int64) error {
	want := s.root
	if level+1 < s.tree.Levels() {
		want = s.storedChecksum(level+1, group)
	}
	return s.compareChecksum(disk.RegionPS, s.groupSpan(level, group), want)
}

func (s *pageChecksums) compareChecksum(region layout.Region, part layout.Span, want uint64) error {
	got := disk.Checksum(s.data[part.Offset:part.End()])
	if got == want {
		return nil
	}
	return disk.ChecksumError(region, part, got, want)
}

// checkPadding checks that the rest of ps after the checksums, and the gap after ps, are zeros. Neither has a checksum.
func (s *pageChecksums) checkPadding(part layout.Span) error {
	for at := max(part.Offset, s.ps.Offset+s.tree.Size()); at < part.End(); at++ {
		if s.data[at] != 0 {
			e := disk.Corrupt(disk.RegionPS, at, "byte 0x%02x where zeros belong", s.data[at])
			e.Advice = disk.CopyAgain
			return e
		}
	}
	return nil
}

func (s *pageChecksums) groupSpan(level int, group int64) layout.Span {
	g := s.tree.Group(level, group)
	return layout.Span{Offset: s.ps.Offset + g.Offset, Size: g.Size}
}

func (s *pageChecksums) storedChecksum(level int, n int64) uint64 {
	return binary.LittleEndian.Uint64(s.data[s.ps.Offset+s.tree.SlotOffset(level, n):])
}

// Verify checks every byte of the file, including padding, regardless of Options.Check and of earlier checks. The
// error is the first damage by offset. Pages with damaged checksums are not checked. progress can be nil. It is
// called by one goroutine at a time with the number of checked bytes and the file size.
func (m *Mapping) Verify(ctx context.Context, progress func(done, total int64)) error {
	if m.closed.Load() || m.header == nil {
		return m.closedError()
	}
	m.Sweep()
	if err := m.VerifyFrame(); err != nil {
		return err
	}
	s := &pageVerifier{m: m, progress: progress, done: disk.ChecksummedSpan(m.header).Offset}
	s.reportProgress(0)
	return disk.WithFileName(s.verifyAll(ctx), m.name)
}

// VerifyFrame checks the parts of the file without page checksums. These are the header and the checksums themselves.
func (m *Mapping) VerifyFrame() error {
	return disk.WithFileName(m.Guard(m.verifyHeaderAndSums), m.name)
}

func (m *Mapping) verifyHeaderAndSums() error {
	h, err := disk.ParseHeader(m.data, m.header.FileSize)
	if err != nil {
		return err
	}
	if *h != *m.header {
		e := disk.Corrupt(disk.RegionHeader, 0, "the header was changed after the archive was opened")
		e.Advice = "open it again"
		return e
	}
	for level := m.checksums.tree.Levels() - 1; level >= 0; level-- {
		for group := range m.checksums.groupCount(level) {
			if err := m.checksums.checkGroup(level, group); err != nil {
				return err
			}
		}
	}
	from := m.checksums.ps.Offset
	return m.checksums.checkPadding(layout.Span{Offset: from, Size: disk.ChecksummedSpan(h).Offset - from})
}

// A pageVerifier checks all pages with a few goroutines. Each takes the pages of one group of checksums at a time.
type pageVerifier struct {
	m    *Mapping
	next atomic.Int64 // next group to check
	stop atomic.Bool  // set when damage was found

	mu       sync.Mutex
	progress func(done, total int64)
	done     int64 // number of checked bytes
	damage   error // first error by offset
	group    int64 // group of damage
}

// maxVerifiers is the number of goroutines that saturate the memory bandwidth of an ordinary machine.
const maxVerifiers = 4

func (s *pageVerifier) verifyAll(ctx context.Context) error {
	sweepers := min(maxVerifiers, runtime.GOMAXPROCS(0))
	if s.m.fetcher != nil {
		sweepers = 1 // read-ahead needs requests in order
	}
	var wg sync.WaitGroup
	for range sweepers {
		wg.Go(func() { s.verifyGroups(ctx) })
	}
	wg.Wait()
	if s.damage != nil {
		return s.damage
	}
	return ctx.Err()
}

// verifyGroups checks one group after another, in file order. It completes each group it has started, so that no
// damage before the first reported one is missed.
func (s *pageVerifier) verifyGroups(ctx context.Context) {
	for ctx.Err() == nil && !s.stop.Load() {
		group := s.next.Add(1) - 1
		if group >= s.m.checksums.groupCount(0) {
			return
		}
		var bytes int64
		err := s.m.Guard(func() (err error) {
			bytes, err = s.m.verifyGroup(group)
			return err
		})
		if err != nil {
			s.recordDamage(group, err)
			return
		}
		s.reportProgress(bytes)
	}
}

func (m *Mapping) verifyGroup(group int64) (bytes int64, err error) {
	first := group * disk.SumGroup
	for n := first; n < min(first+disk.SumGroup, m.checksums.tree.Pages()); n++ {
		span := m.checksums.tree.PageSpan(n)
		if err := m.checksums.checkPage(disk.RegionAt(m.header, span.Offset), n, n); err != nil {
			return bytes, err
		}
		bytes += span.Size
	}
	return bytes, nil
}

func (s *pageVerifier) recordDamage(group int64, err error) {
	s.stop.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damage == nil || group < s.group {
		s.damage, s.group = err, group
	}
}

func (s *pageVerifier) reportProgress(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += bytes
	if s.progress != nil {
		s.progress(s.done, s.m.header.FileSize)
	}
}
