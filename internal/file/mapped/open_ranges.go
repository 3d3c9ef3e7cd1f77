package mapped

import (
	"fmt"
	"io"
	"sync"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// OpenRanges opens an archive of size bytes that it reads from r in ranges, for instance from an object store. name
// is the path in errors. It reads page checksums, names and tables now and everything else on first use. A range is
// 64 KiB or the requested size, and grows while requests follow one another in order. r must be safe for concurrent
// use and is used until the Mapping is closed. Memory of the archive's size is reserved, but the system provides only
// pages that are read. o.Heap is ignored, and o.Check must be CheckOnTouch. Errors about the content are the same as
// from Open; other errors come from r.
func OpenRanges(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	m, err := openRanges(name, r, size, o)
	if err != nil {
		return nil, o.reportRejection(addFileName(err, name))
	}
	return m, nil
}

func openRanges(name string, r io.ReaderAt, size int64, o Options) (*Mapping, error) {
	if o.Check != CheckOnTouch {
		return nil, fmt.Errorf("ranges of an archive are checked when they are touched, not as option %d says", o.Check)
	}
	head := make([]byte, min(max(size, 0), maxHeaderSize))
	if err := readRange(r, head, 0); err != nil {
		return nil, err
	}
	h, err := disk.ParseHeader(head, size)
	if err == nil {
		err = checkAddressable(size)
	}
	if err != nil {
		return nil, err
	}
	p := &pageFetcher{r: r, data: words.AlignedBytes(int(size)),
		present: make([]bool, (size+disk.PageSize-1)/disk.PageSize)}
	copy(p.data, head)
	p.markPresent(0, int64(len(head)+disk.PageSize-1)/disk.PageSize)
	if err := p.fetchNames(h); err != nil {
		return nil, err
	}
	m := &Mapping{name: name, data: p.data, fetcher: p}
	return m, m.validateAndInit(o)
}

// InRanges reports whether [OpenRanges] opened the archive. [Mapping.Unchecked] may then lack unrequested bytes.
func (m *Mapping) InRanges() bool { return m.fetcher != nil }

func readRange(r io.ReaderAt, b []byte, at int64) error {
	if len(b) == 0 {
		return nil
	}
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF || err == nil:
		return &layout.Error{Offset: at + int64(n), Kind: layout.ErrTruncated, Detail: "it ends before its stated size",
			Advice: disk.CopyAgain}
	}
	return err
}

// Bounds on the number of pages that are read at once.
const (
	minReadAhead = 16
	maxReadAhead = 1024
)

// minSkippedGap is the number of unrequested bytes that are worth skipping. A request to a store takes about as long
// as transferring them.
const minSkippedGap = 1 << 20

type pageFetcher struct {
	r    io.ReaderAt
	data []byte

	mu      sync.Mutex
	present []bool // indexed by page
	next    int64  // page after the last one that was read
	ahead   int64  // number of pages that were read at once
}

// fetchNames reads page checksums, names and tables, and also the index and bitmaps between them if they are short.
func (p *pageFetcher) fetchNames(h *layout.Header) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := int64(0)
	to := disk.ChecksummedSpan(h).Offset
	for _, region := range []layout.Region{disk.RegionRO, disk.RegionEX} {
		span := disk.RegionOf(h, region)
		if span.Offset-to > minSkippedGap {
			if err := p.fetchMissing(from, to); err != nil {
				return err
			}
			from = span.Offset
		}
		to = span.End()
	}
	return p.fetchMissing(from, to)
}

func (p *pageFetcher) fetchSpan(part layout.Span) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetchMissing(part.Offset, part.End())
}

func (p *pageFetcher) fetchOnTouch(part layout.Span) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, last := pageRange(part.Offset, part.End())
	for first < last && p.present[first] {
		first++
	}
	if first == last {
		return nil
	}
	ahead := int64(minReadAhead)
	if first == p.next {
		ahead = min(2*p.ahead, maxReadAhead)
	}
	if last-first == 1 { // the caller may need more
		last = min(first+ahead, int64(len(p.present)))
	}
	p.next = last
	p.ahead = max(min(last-first, maxReadAhead), minReadAhead)
	return p.fetchMissing(first*disk.PageSize, last*disk.PageSize)
}

func pageRange(from, to int64) (first, end int64) {
	return from / disk.PageSize, (to + disk.PageSize - 1) / disk.PageSize
}

func (p *pageFetcher) fetchMissing(from, to int64) error {
	first, last := pageRange(from, to)
	for first < last {
		end := first
		for end < last && !p.present[end] && end-first < maxReadAhead {
			end++
		}
		if err := p.readPages(first, end); err != nil {
			return err
		}
		first = max(end, first+1)
	}
	return nil
}

func (p *pageFetcher) readPages(first, end int64) error {
	if first == end {
		return nil
	}
	from := first * disk.PageSize
	to := min(end*disk.PageSize, int64(len(p.data)))
	if err := readRange(p.r, p.data[from:to], from); err != nil {
		return err
	}
	p.markPresent(first, end)
	return nil
}

func (p *pageFetcher) markPresent(first, end int64) {
	for n := first; n < end; n++ {
		p.present[n] = true
	}
}
