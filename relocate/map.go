package relocate

import (
	"fmt"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Source is an open archive.
type Source interface {
	// Bytes gives bytes of a region whose sums it has checked; offset counts
	// from the start of the file.
	Bytes(region layout.Region, offset, size int64) ([]byte, error)
	// Guard runs f and turns a fault on mapped memory into an error.
	Guard(f func() error) error
}

// A Map says where the pointer slots of rw are. It reads bm in place and keeps
// one bit for each chunk, which says that its bitmap was checked. It is safe
// for concurrent use.
type Map struct {
	source  Source
	bm, rw  layout.Span
	checked []atomic.Uint32
}

// Open makes a Map of the region bm for the region rw of the archive that
// source reads. It costs the same for any size of bm.
func Open(source Source, bm, rw layout.Span) (*Map, error) {
	head, err := source.Bytes(layout.RegionBM, bm.Offset, directoryStart)
	if err != nil {
		return nil, err
	}
	n, want := int64(le.Uint32(head)), chunks(rw.Size)
	if n != want {
		return nil, disk.Corrupt(layout.RegionBM, bm.Offset, "a directory of %d chunks, rw has %d", n, want)
	}
	if directorySize(n) > bm.Size {
		return nil, disk.Corrupt(layout.RegionBM, bm.Offset, "a directory of %d chunks in %d bytes", n, bm.Size)
	}
	return &Map{source, bm, rw, make([]atomic.Uint32, (n+31)/32)}, nil
}

func (m *Map) chunks() int64 { return chunks(m.rw.Size) }

// Range yields the slots in [from, to), both offsets from the start of rw in
// bytes and multiples of 8, in ascending order, until yield gives false. The
// range must lie inside rw.
func (m *Map) Range(from, to int64, yield func(rwOffset int64) bool) error {
	if err := m.inside(from, to, m.rw.Size); err != nil {
		return err
	}
	for c := m.walk(from, to); ; {
		start, words, err := c.next()
		if len(words) == 0 || err != nil {
			return err
		}
		for _, w := range words {
			if !yield(start + int64(w)*wordSize) {
				return nil
			}
		}
	}
}

// inside refuses what is no range of the region, of which there are size bytes.
func (m *Map) inside(from, to, size int64) error {
	if from < 0 || to < from || to > min(size, m.rw.Size) || (from|to)%wordSize != 0 {
		return fmt.Errorf("relocate: [%d, %d) is no range of the %d bytes of rw", from, to, min(size, m.rw.Size))
	}
	return nil
}

// A walk iterates over the slots of a range, a batch at a time.
type walk struct {
	m        *Map
	from, to int64
	batch    [128]uint16
}

func (m *Map) walk(from, to int64) walk { return walk{m: m, from: from, to: to} }

// next returns some more slots, ascending: words of the chunk that begins at
// start. No words are the end.
func (c *walk) next() (start int64, words []uint16, err error) {
	for c.from < c.to {
		n := c.from / chunkSize
		start = n * chunkSize
		end := min(c.to, start+chunkSize)
		b, err := c.m.chunk(n)
		if err != nil {
			return 0, nil, err
		}
		if b != nil {
			words = c.batch[:b.fill(c.batch[:], int(c.from-start)/wordSize, int(end-start)/wordSize)]
		}
		if len(words) == len(c.batch) {
			end = start + (int64(words[len(words)-1])+1)*wordSize
		}
		if c.from = max(end, c.from+wordSize); len(words) > 0 {
			return start, words, nil
		}
	}
	return 0, nil, nil
}

// chunk returns the checked bitmap of a chunk, nil if it has no slot.
func (m *Map) chunk(n int64) (bitmap, error) {
	at := m.bm.Offset + directorySize(n)
	row, err := m.source.Bytes(layout.RegionBM, at, directoryRow)
	if err != nil {
		return nil, err
	}
	offset, size := layout.Ref(le.Uint32(row)).Offset(), int64(le.Uint32(row[4:]))
	if offset == 0 && size == 0 {
		return nil, nil
	}
	if size > maxBitmapSize || offset < m.bm.Offset+directorySize(m.chunks()) || !m.bm.Holds(offset, size) {
		return nil, disk.Corrupt(layout.RegionBM, at, "the bitmap of chunk %d is [0x%x, +%d)", n, offset, size)
	}
	b, err := m.source.Bytes(layout.RegionBM, offset, size)
	if err != nil {
		return nil, err
	}
	if m.isChecked(n) {
		return b, nil
	}
	if err := bitmap(b).check(int(min(chunkWords, (m.rw.Size-n*chunkSize)/wordSize))); err != nil {
		return nil, disk.Corrupt(layout.RegionBM, offset, "chunk %d: %v", n, err)
	}
	m.checked[n/32].Or(1 << (n % 32))
	return b, nil
}

func (m *Map) isChecked(n int64) bool { return m.checked[n/32].Load()&(1<<(n%32)) != 0 }
