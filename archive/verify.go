package archive

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Progress is told how far a long call has come, in bytes of total. It is
// called by one goroutine at a time, not always the same.
type Progress func(done, total int64)

// Verify checks every byte of the file, padding included, whatever Check says
// and whatever was checked before. The error is the first damage by offset;
// where sums are damaged, what hangs from them is not looked at. progress may
// be nil.
func (m *Mapping) Verify(ctx context.Context, progress Progress) error {
	if m.closed.Load() {
		return m.closedError()
	}
	if err := m.Guard(m.verifyFrame); err != nil {
		return disk.InFile(err, m.name)
	}
	s := &sweep{m: m, progress: progress, done: disk.Summed(m.header).Offset}
	s.report(0)
	return disk.InFile(s.run(ctx), m.name)
}

// verifyFrame checks what lies before the summed pages: the header and the sums
// themselves, from the top down.
func (m *Mapping) verifyFrame() error {
	h, err := disk.ParseHeader(m.data, m.header.FileSize)
	if err != nil {
		return err
	}
	if *h != *m.header {
		e := disk.Corrupt(layout.RegionHeader, 0, "the header was changed after the archive was opened")
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

// A sweep iterates over all pages with a few goroutines. What one of them takes
// at a time is the pages of one group of sums.
type sweep struct {
	m    *Mapping
	next atomic.Int64 // group that is taken next
	stop atomic.Bool  // damage was found: no more is taken

	mu       sync.Mutex
	progress Progress
	done     int64 // bytes
	damage   error // the first by offset
	group    int64 // where it is
}

// maxSweepers is how many goroutines the memory of an ordinary machine feeds.
const maxSweepers = 4

func (s *sweep) run(ctx context.Context) error {
	var wg sync.WaitGroup
	for range min(maxSweepers, runtime.GOMAXPROCS(0)) {
		wg.Go(func() { s.sweep(ctx) })
	}
	wg.Wait()
	if s.damage != nil {
		return s.damage
	}
	return ctx.Err()
}

// sweep takes group after group. They are taken in the order of the file and
// always finished, so no damage before the first one found is missed.
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

// verifyGroup checks the pages that a group of sums covers, and gives their
// size.
func (m *Mapping) verifyGroup(group int64) (bytes int64, err error) {
	first := group * disk.SumGroup
	for n := first; n < min(first+disk.SumGroup, m.sums.tree.Pages()); n++ {
		span := m.sums.tree.PageSpan(n)
		if err := m.sums.checkPage(disk.RegionAt(m.header, span.Offset), n); err != nil {
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
