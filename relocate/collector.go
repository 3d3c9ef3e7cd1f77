package relocate

import (
	"encoding/binary"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

const (
	chunkWords = 1 << 16
	// chunkSize is the part of rw, in bytes, that one bitmap covers.
	chunkSize = chunkWords * wordSize
	wordSize  = 8

	directoryStart = 8
	directoryRow   = 8
)

var le = binary.LittleEndian

// chunks is the number of chunks of an rw region of that size in bytes.
func chunks(rwSize int64) int64 { return (rwSize + chunkSize - 1) / chunkSize }

// A Collector gathers the pointer slots of an rw region that is being laid out.
type Collector struct {
	bitmaps []*roaring.Bitmap // nil for a chunk without a slot
}

// NewCollector makes a collector for an rw region of that size in bytes.
func NewCollector(rwSize int64) *Collector {
	return &Collector{make([]*roaring.Bitmap, chunks(rwSize))}
}

// Add notes a pointer slot: the offset of its word from the start of rw in
// bytes, a multiple of 8 inside rw. Slots of different chunks may be added by
// different goroutines, those of one chunk by one goroutine at a time.
func (c *Collector) Add(rwOffset int64) {
	n := rwOffset / chunkSize
	if c.bitmaps[n] == nil {
		c.bitmaps[n] = roaring.New()
	}
	c.bitmaps[n].Add(uint32(rwOffset % chunkSize / wordSize))
}

// Count is the number of slots.
func (c *Collector) Count() uint64 {
	n := uint64(0)
	for _, b := range c.bitmaps {
		if b != nil {
			n += b.GetCardinality()
		}
	}
	return n
}

// Size is the size of the encoded region in bytes, a multiple of 8.
func (c *Collector) Size() int64 {
	size := directorySize(int64(len(c.bitmaps)))
	for _, b := range c.bitmaps {
		if b != nil {
			size += disk.AlignUp(int64(b.GetSerializedSizeInBytes()), disk.Unit)
		}
	}
	return size
}

// Region returns the encoded region, which is to begin at start in the file.
func (c *Collector) Region(start layout.Ref) []byte {
	region := make([]byte, c.Size())
	le.PutUint32(region, uint32(len(c.bitmaps)))
	at := directorySize(int64(len(c.bitmaps)))
	for n, b := range c.bitmaps {
		if b == nil {
			continue
		}
		size := encode(region[at:], b)
		row := region[directorySize(int64(n)):]
		le.PutUint32(row, uint32(start)+uint32(disk.RefOf(at)))
		le.PutUint32(row[4:], uint32(size))
		at += disk.AlignUp(size, disk.Unit)
	}
	return region
}

// directorySize is where the row of chunk n lies, or the size of a directory
// of n chunks.
func directorySize(n int64) int64 { return directoryStart + n*directoryRow }

func encode(to []byte, b *roaring.Bitmap) (size int64) {
	p, err := b.ToBytes()
	if err != nil {
		panic(fmt.Sprintf("relocate: serializing a bitmap in memory: %v", err))
	}
	return int64(copy(to, p))
}
