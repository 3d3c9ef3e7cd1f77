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

// A pageSums checks pages against the tree of sums in ps. All sums on the way from the
// root in the header to a page are checked before the page.
type pageSums struct {
	tree disk.SumTree
	root uint64
	data []byte      // the whole file
	read *pieces     // of it; nil if all is there
	ps   layout.Span // where the sums lie in it
	// checked has a bit for every page of the file, and after them one for
	// every group of 64 sums, level by level.
	checked *sparsebits.Set
	groups  []int64 // by level: the bit of its first group
}

// newPageSums costs nearly the same for a file of any size: only the size of the set depends on it.
func newPageSums(h *layout.Header, data []byte) *pageSums {
	s := &pageSums{tree: disk.SumTreeOf(h), root: h.SumRoot, data: data, ps: h.Region(disk.RegionPS)}
	bits := (h.FileSize + disk.PageSize - 1) >> disk.PageShift
	for level := range s.tree.Levels() {
		s.groups = append(s.groups, bits)
		bits += s.groupCount(level)
	}
	s.checked = sparsebits.New(bits)
	return s
}

// groupCount returns the number of groups of a level.
func (s *pageSums) groupCount(level int) int64 {
	if level+1 < s.tree.Levels() {
		return s.tree.Count(level + 1)
	}
	return 1
}

// touch checks the pages of a part of a region that are not checked yet. Errors name
// that region, even if its first page begins in the region before and is damaged there.
func (s *pageSums) touch(region layout.Region, part layout.Span) error {
	switch {
	case region == disk.RegionHeader || part.Size == 0:
		return nil
	case region == disk.RegionPS:
		return s.touchSums(part)
	}
	last := s.tree.Page(part.End() - 1)
	for n := s.tree.Page(part.Offset); n <= last; n++ {
		if err := s.touchPage(region, n, last); err != nil {
			return err
		}
	}
	return nil
}

// touchPage checks page n, of several up to page last that are needed.
func (s *pageSums) touchPage(region layout.Region, n, last int64) error {
	bit := s.tree.PageSpan(n).Offset >> disk.PageShift
	if s.checked.Has(bit) {
		return nil
	}
	if err := s.touchGroup(0, disk.GroupOf(n)); err != nil {
		return err
	}
	if err := s.checkPage(region, n, last); err != nil {
		return err
	}
	s.checked.Add(bit)
	return nil
}

// touchGroup checks a group of sums, after the groups above it in the tree.
func (s *pageSums) touchGroup(level int, group int64) error {
	bit := s.groups[level] + group
	if s.checked.Has(bit) {
		return nil
	}
	if level+1 < s.tree.Levels() {
		if err := s.touchGroup(level+1, disk.GroupOf(group)); err != nil {
			return err
		}
	}
	if err := s.checkGroup(level, group); err != nil {
		return err
	}
	s.checked.Add(bit)
	return nil
}

// touchSums checks the groups of all levels that a part of ps overlaps.
func (s *pageSums) touchSums(part layout.Span) error {
	for level := range s.tree.Levels() {
		for group := range s.groupCount(level) {
			g := s.groupSpan(level, group)
			if g.Offset >= part.End() || g.End() <= part.Offset {
				continue
			}
			if err := s.touchGroup(level, group); err != nil {
				return err
			}
		}
	}
	return s.checkPadding(part)
}

// checkPage compares page n with its sum. It reads all that are needed, up to page last.
func (s *pageSums) checkPage(region layout.Region, n, last int64) error {
	if s.read != nil {
		from := s.tree.PageSpan(n).Offset
		if err := s.read.touch(layout.Span{Offset: from, Size: s.tree.PageSpan(last).End() - from}); err != nil {
			return err
		}
	}
	return s.compare(region, s.tree.PageSpan(n), s.sum(0, n))
}

// checkGroup compares a group with its sum: in the level above or, for the top, in the header.
func (s *pageSums) checkGroup(level int, group int64) error {
	want := s.root
	if level+1 < s.tree.Levels() {
		want = s.sum(level+1, group)
	}
	return s.compare(disk.RegionPS, s.groupSpan(level, group), want)
}

func (s *pageSums) compare(region layout.Region, part layout.Span, want uint64) error {
	got := disk.Sum(s.data[part.Offset:part.End()])
	if got == want {
		return nil
	}
	return disk.WrongSum(region, part, got, want)
}

// checkPadding checks that the part of ps after the sums, and the gap after it, are
// zeros: no sum covers these few bytes.
func (s *pageSums) checkPadding(part layout.Span) error {
	for at := max(part.Offset, s.ps.Offset+s.tree.Size()); at < part.End(); at++ {
		if s.data[at] != 0 {
			e := disk.Corrupt(disk.RegionPS, at, "byte 0x%02x where zeros belong", s.data[at])
			e.Advice = disk.CopyAgain
			return e
		}
	}
	return nil
}

// groupSpan returns the place of a group in the file.
func (s *pageSums) groupSpan(level int, group int64) layout.Span {
	g := s.tree.Group(level, group)
	return layout.Span{Offset: s.ps.Offset + g.Offset, Size: g.Size}
}

// sum reads sum n of a level.
func (s *pageSums) sum(level int, n int64) uint64 {
	return binary.LittleEndian.Uint64(s.data[s.ps.Offset+s.tree.Slot(level, n):])
}

// Verify checks every byte of the file, padding included, whatever Options.Check says
// and whatever was checked before. The error is the first damage by offset; pages whose
// sums are damaged are not checked. progress, if not nil, is called with the bytes
// checked so far and the size of the file, by one goroutine at a time.
func (m *Mapping) Verify(ctx context.Context, progress func(done, total int64)) error {
	if m.closed.Load() {
		return m.closedError()
	}
	m.Sweep()
	if err := m.Guard(m.verifyFrame); err != nil {
		return disk.InFile(err, m.name)
	}
	s := &sweep{m: m, progress: progress, done: disk.Summed(m.header).Offset}
	s.report(0)
	return disk.InFile(s.run(ctx), m.name)
}

// verifyFrame checks what comes before the summed pages: the header, and the sums from the top down.
func (m *Mapping) verifyFrame() error {
	h, err := disk.ParseHeader(m.data, m.header.FileSize)
	if err != nil {
		return err
	}
	if *h != *m.header {
		e := disk.Corrupt(disk.RegionHeader, 0, "the header was changed after the archive was opened")
		e.Advice = "open it again"
		return e
	}
	for level := m.sums.tree.Levels() - 1; level >= 0; level-- {
		for group := range m.sums.groupCount(level) {
			if err := m.sums.checkGroup(level, group); err != nil {
				return err
			}
		}
	}
	from := m.sums.ps.Offset
	return m.sums.checkPadding(layout.Span{Offset: from, Size: disk.Summed(h).Offset - from})
}

// A sweep checks all pages with a few goroutines, which take the pages of one group of sums at a time.
type sweep struct {
	m    *Mapping
	next atomic.Int64 // the group to take next
	stop atomic.Bool  // damage was found: take no more

	mu       sync.Mutex
	progress func(done, total int64)
	done     int64 // bytes
	damage   error // the first by offset
	group    int64 // where it is
}

// maxSweepers is how many goroutines the memory bandwidth of an ordinary machine feeds.
const maxSweepers = 4

func (s *sweep) run(ctx context.Context) error {
	sweepers := min(maxSweepers, runtime.GOMAXPROCS(0))
	if s.m.pieces != nil {
		sweepers = 1 // pages are read ahead only for one who asks for them in order
	}
	var wg sync.WaitGroup
	for range sweepers {
		wg.Go(func() { s.sweep(ctx) })
	}
	wg.Wait()
	if s.damage != nil {
		return s.damage
	}
	return ctx.Err()
}

// sweep takes group after group, in the order of the file. A group that is taken is
// finished, so that no damage before the first one found is missed.
func (s *sweep) sweep(ctx context.Context) {
	for ctx.Err() == nil && !s.stop.Load() {
		group := s.next.Add(1) - 1
		if group >= s.m.sums.groupCount(0) {
			return
		}
		var bytes int64
		err := s.m.Guard(func() (err error) {
			bytes, err = s.m.verifyGroup(group)
			return err
		})
		if err != nil {
			s.fail(group, err)
			return
		}
		s.report(bytes)
	}
}

// verifyGroup checks the pages that a group of sums covers, and returns their size.
func (m *Mapping) verifyGroup(group int64) (bytes int64, err error) {
	first := group * disk.SumGroup
	for n := first; n < min(first+disk.SumGroup, m.sums.tree.Pages()); n++ {
		span := m.sums.tree.PageSpan(n)
		if err := m.sums.checkPage(disk.RegionAt(m.header, span.Offset), n, n); err != nil {
			return bytes, err
		}
		bytes += span.Size
	}
	return bytes, nil
}

func (s *sweep) fail(group int64, err error) {
	s.stop.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damage == nil || group < s.group {
		s.damage, s.group = err, group
	}
}

func (s *sweep) report(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += bytes
	if s.progress != nil {
		s.progress(s.done, s.m.header.FileSize)
	}
}
