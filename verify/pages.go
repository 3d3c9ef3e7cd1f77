package verify

import "github.com/profarc/profarc/internal/file/disk"

func (w *walk) frame() {
	if !w.frameIsSound() {
		w.unsummed = true
		w.refused(inPages, 0, w.m.Verify(w.ctx, nil))
	}
	w.advance(disk.ChecksummedSpan(w.h).Offset)
}

func (w *walk) frameIsSound() bool {
	h, err := disk.ParseHeader(w.data, w.h.FileSize)
	if err != nil || *h != *w.h {
		return false
	}
	ps := disk.RegionOf(w.h, disk.RegionPS).Offset
	for level := range w.tree.Levels() {
		groups := int64(1)
		if level+1 < w.tree.Levels() {
			groups = w.tree.Count(level + 1)
		}
		for group := range groups {
			want := w.h.SumRoot
			if level+1 < w.tree.Levels() {
				want = w.checksumAt(level+1, group)
			}
			g := w.tree.Group(level, group)
			if disk.Checksum(w.data[ps+g.Offset:ps+g.End()]) != want {
				return false
			}
		}
	}
	for _, b := range w.data[ps+w.tree.Size() : disk.ChecksummedSpan(w.h).Offset] {
		if b != 0 {
			return false
		}
	}
	return true
}

func (w *walk) checksumAt(level int, n int64) uint64 {
	return le.Uint64(w.data[disk.RegionOf(w.h, disk.RegionPS).Offset+w.tree.SlotOffset(level, n):])
}

// advance adds size to the number of verified bytes and reports the progress.
func (w *walk) advance(size int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done += size; w.progress != nil {
		w.progress(w.done, w.h.FileSize)
	}
}

// pages verifies the pages before rw, and walks the symbols.
func (w *walk) pages() {
	symbols := w.h.Parts[disk.PartSymbols]
	rw := disk.RegionOf(w.h, disk.RegionRW)
	before := w.pagesOf(disk.ChecksummedSpan(w.h).Offset, symbols.Offset)
	behind := w.pagesOf(symbols.End(), rw.Offset)
	if rw.Size == 0 {
		behind.end = w.tree.Pages()
	}
	tasks := append(before.split(), behind.split()...)
	spans := w.symbolSpans
	w.share(len(spans)+len(tasks), func(w *worker, i int) {
		if i >= len(spans) {
			tasks[i-len(spans)].rest()
			return
		}
		pages := w.pagesOf(spans[i].Offset, spans[i].End())
		w.symbols(spans[i], &pages)
		pages.rest()
	})
}

// A summer verifies the checksums of a range of pages in order.
type summer struct {
	*walk
	next, end int64 // page numbers
	size      int64 // size of the verified pages in bytes
}

// pagesOf returns the pages of the span [from, to). A page that crosses a bound belongs to the span that begins in it.
func (w *walk) pagesOf(from, to int64) summer {
	return summer{walk: w, next: w.tree.Page(from), end: w.tree.Page(to)}
}

func (s *summer) split() (tasks []summer) {
	const few = 512
	for at := s.next; at < s.end; at += few {
		tasks = append(tasks, summer{walk: s.walk, next: at, end: min(at+few, s.end)})
	}
	return tasks
}

// upTo verifies the pages that begin before offset, whose bytes are in the CPU caches afterwards.
func (s *summer) upTo(offset int64) {
	for ; s.next < s.end; s.next++ {
		span := s.tree.PageSpan(s.next)
		if span.Offset >= offset {
			return
		}
		got := disk.Checksum(s.data[span.Offset:span.End()])
		want := s.checksumAt(0, s.next)
		if got != want && !s.unsummed {
			s.noteError(inPages, span.Offset, disk.ChecksumError(disk.RegionAt(s.h, span.Offset), span, got, want))
		}
		s.size += span.Size
	}
}

func (s *summer) rest() {
	s.upTo(s.h.FileSize)
	s.advance(s.size)
}
