package relocate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Source is an open archive.
type Source interface {
	// Bytes returns bytes of a region after checking their checksums. offset counts from the start of the file.
	Bytes(region layout.Region, offset, size int64) ([]byte, error)
	// Guard runs f and turns a fault on mapped memory into an error.
	Guard(f func() error) error
}

// A Map gives access to the pointer slots of rw. It reads the region bm without copying it and checks each bitmap on
// first use. It is safe for concurrent use.
type Map struct {
	source  Source
	bm, rw  layout.Span
	checked []atomic.Uint32
}

// Open returns a Map of the archive that source reads and whose header is h. Its cost is independent of bm's size.
func Open(source Source, h *layout.Header) (*Map, error) {
	bm := disk.RegionOf(h, disk.RegionBM)
	rw := disk.RegionOf(h, disk.RegionRW)
	head, err := source.Bytes(disk.RegionBM, bm.Offset, directoryStart)
	if err != nil {
		return nil, err
	}
	n := int64(le.Uint32(head))
	want := chunkCount(rw.Size)
	if n != want {
		return nil, disk.Corrupt(disk.RegionBM, bm.Offset, "a directory of %d chunks, rw has %d", n, want)
	}
	if directorySize(n) > bm.Size {
		return nil, disk.Corrupt(disk.RegionBM, bm.Offset, "a directory of %d chunks in %d bytes", n, bm.Size)
	}
	return &Map{source, bm, rw, make([]atomic.Uint32, (n+31)/32)}, nil
}

func (m *Map) chunkCount() int64 { return chunkCount(m.rw.Size) }

// Slots yields the slots in [from, to) in ascending order. from, to and the slots are offsets in bytes from the start
// of rw and multiples of 8. Iteration ends with an error if the range is outside rw or a bitmap is damaged.
func (m *Map) Slots(from, to int64) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		if err := m.checkInside(from, to, m.rw.Size); err != nil {
			yield(0, err)
			return
		}
		for c := m.newWalk(from, to); ; {
			start, words, err := c.nextSlots()
			if err != nil {
				yield(0, err)
				return
			}
			if len(words) == 0 {
				return
			}
			for _, w := range words {
				if !yield(start+int64(w)*wordSize, nil) {
					return
				}
			}
		}
	}
}

// Matches reports whether the slots in [from, to) are exactly the words whose bits are set in want. from and to are
// offsets as in [Map.Slots]. The first bit of want stands for the last word at or before from whose index is a
// multiple of 64.
func (m *Map) Matches(from, to int64, want []uint64) (bool, error) {
	if err := m.checkInside(from, to, m.rw.Size); err != nil {
		return false, err
	}
	for from < to {
		n := from / chunkSize
		start := n * chunkSize
		end := min(to, start+chunkSize)
		var got [chunkWords / 64]uint64
		b, err := m.checkedBitmap(n)
		if err == nil && b != nil {
			err = b.writeDense(&got)
		}
		if err != nil {
			return false, err
		}
		first := int(from-start) / wordSize
		last := int(end-start) / wordSize
		words := (last - first&^63 + 63) / 64
		if !sameWords(got[first/64:], want[:words], first, last) {
			return false, nil
		}
		from = end
		want = want[words:]
	}
	return true, nil
}

func sameWords(got, want []uint64, first, last int) bool {
	for i, w := range want {
		at := first&^63 + i*64
		mask := ^uint64(0)
		if at < first {
			mask <<= first - at
		}
		if last < at+64 {
			mask &= 1<<(last-at) - 1
		}
		if (got[i]^w)&mask != 0 {
			return false
		}
	}
	return true
}

func (m *Map) checkInside(from, to, size int64) error {
	if from < 0 || to < from || to > min(size, m.rw.Size) || (from|to)%wordSize != 0 {
		return fmt.Errorf("relocate: [%d, %d) is no range of the %d bytes of rw", from, to, min(size, m.rw.Size))
	}
	return nil
}

type walk struct {
	m        *Map
	from, to int64
	batch    [128]uint16
}

func (m *Map) newWalk(from, to int64) walk { return walk{m: m, from: from, to: to} }

// nextSlots returns the next slots in ascending order, as indices of words in the chunk that begins at start. After
// the last slot it returns no words.
func (c *walk) nextSlots() (start int64, words []uint16, err error) {
	for c.from < c.to {
		n := c.from / chunkSize
		start = n * chunkSize
		end := min(c.to, start+chunkSize)
		b, err := c.m.checkedBitmap(n)
		if err != nil {
			return 0, nil, err
		}
		if b != nil {
			words = c.batch[:b.fillSlots(c.batch[:], int(c.from-start)/wordSize, int(end-start)/wordSize)]
		}
		if len(words) == len(c.batch) {
			end = start + (int64(words[len(words)-1])+1)*wordSize
		}
		c.from = max(end, c.from+wordSize)
		if len(words) > 0 {
			return start, words, nil
		}
	}
	return 0, nil, nil
}

// checkedBitmap returns the bitmap of chunk n, nil if the chunk has no slots. It checks the bitmap on first use.
func (m *Map) checkedBitmap(n int64) (bitmap, error) {
	at := m.bm.Offset + directorySize(n)
	row, err := m.source.Bytes(disk.RegionBM, at, directoryRow)
	if err != nil {
		return nil, err
	}
	offset := layout.Ref(le.Uint32(row)).Offset()
	size := int64(le.Uint32(row[4:]))
	if offset == 0 && size == 0 {
		return nil, nil
	}
	if size > maxBitmapSize || offset < m.bm.Offset+directorySize(m.chunkCount()) || !m.bm.Holds(offset, size) {
		return nil, disk.Corrupt(disk.RegionBM, at, "the bitmap of chunk %d is [0x%x, +%d)", n, offset, size)
	}
	b, err := m.source.Bytes(disk.RegionBM, offset, size)
	if err != nil {
		return nil, err
	}
	if m.checked[n/32].Load()&(1<<(n%32)) != 0 {
		return b, nil
	}
	if err := bitmap(b).checkBitmap(int(min(chunkWords, (m.rw.Size-n*chunkSize)/wordSize))); err != nil {
		return nil, disk.Corrupt(disk.RegionBM, offset, "chunk %d: %v", n, err)
	}
	m.checked[n/32].Or(1 << (n % 32))
	return b, nil
}

const (
	chunkWords = 1 << 16
	// chunkSize is the number of bytes of rw that one bitmap covers.
	chunkSize = chunkWords * wordSize
	wordSize  = 8

	directoryStart = 8
	directoryRow   = 8
)

var le = binary.LittleEndian

func chunkCount(rwSize int64) int64 { return (rwSize + chunkSize - 1) / chunkSize }

func directorySize(n int64) int64 { return directoryStart + n*directoryRow }

// A Collector gathers the pointer slots of an rw region during layout. It keeps a compact bitmap per chunk, and one
// bit per word for the open chunk.
type Collector struct {
	sets  []*roaring.Bitmap // nil for a chunk without slots
	open  int64             // index of the chunk with its slots in words; -1 if all chunks are compact
	words [chunkWords / 64]uint64
}

// NewCollector returns a collector for an rw region of rwSize bytes.
func NewCollector(rwSize int64) *Collector {
	return &Collector{sets: make([]*roaring.Bitmap, chunkCount(rwSize)), open: -1}
}

// Add records a pointer slot. rwOffset is its offset in bytes from the start of rw and must be a multiple of 8 inside
// rw. Adding slots in order of offset is fastest, because each change of chunk compacts the open one.
func (c *Collector) Add(rwOffset int64) {
	if n := rwOffset / chunkSize; n != c.open {
		c.openChunk(n)
	}
	word := rwOffset % chunkSize / wordSize
	c.words[word/64] |= 1 << (word % 64)
}

func (c *Collector) openChunk(chunk int64) {
	if c.open >= 0 {
		c.sets[c.open] = roaring.FromDense(c.words[:], true)
		clear(c.words[:])
	}
	c.open = chunk
	if chunk >= 0 && c.sets[chunk] != nil {
		c.sets[chunk].WriteDenseTo(c.words[:])
	}
}

// Count returns the number of slots.
func (c *Collector) Count() uint64 {
	c.openChunk(-1)
	n := uint64(0)
	for _, set := range c.sets {
		if set != nil {
			n += set.GetCardinality()
		}
	}
	return n
}

// Size returns the size of the encoded region in bytes. It is a multiple of 8.
func (c *Collector) Size() int64 {
	c.openChunk(-1)
	size := directorySize(int64(len(c.sets)))
	for _, set := range c.sets {
		if set != nil {
			size += disk.AlignUp(int64(set.GetSerializedSizeInBytes()), disk.Unit)
		}
	}
	return size
}

// Encode returns the encoded region bm for a region that begins at start.
func (c *Collector) Encode(start layout.Ref) []byte {
	region := bytes.NewBuffer(make([]byte, 0, c.Size()))
	region.Write(make([]byte, directorySize(int64(len(c.sets)))))
	le.PutUint32(region.Bytes(), uint32(len(c.sets)))
	for n, set := range c.sets {
		if set == nil {
			continue
		}
		at := int64(region.Len())
		size, err := set.WriteTo(region)
		if err != nil {
			panic(fmt.Sprintf("relocate: a bitmap cannot be written to memory: %v", err))
		}
		row := region.Bytes()[directorySize(int64(n)):]
		le.PutUint32(row, uint32(start)+uint32(disk.RefOf(at)))
		le.PutUint32(row[4:], uint32(size))
		region.Write(make([]byte, disk.AlignUp(size, disk.Unit)-size))
	}
	return region.Bytes()
}
