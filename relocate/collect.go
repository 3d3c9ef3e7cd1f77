package relocate

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/profarc/profarc/internal/file/disk"
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

// chunks returns the number of chunks of an rw region of that size in bytes.
func chunks(rwSize int64) int64 { return (rwSize + chunkSize - 1) / chunkSize }

// directorySize returns the size of a directory of n chunks, which is also the offset of the row of chunk n.
func directorySize(n int64) int64 { return directoryStart + n*directoryRow }

// A Collector gathers the pointer slots of an rw region that is being laid out. It keeps a
// compact bitmap for each chunk, and one bit a word for the chunk that was added to last.
type Collector struct {
	sets  []*roaring.Bitmap // nil for a chunk without a slot
	open  int64             // the chunk whose slots are in words, -1 for none
	words [chunkWords / 64]uint64
}

// NewCollector makes a collector for an rw region of that size in bytes.
func NewCollector(rwSize int64) *Collector {
	return &Collector{sets: make([]*roaring.Bitmap, chunks(rwSize)), open: -1}
}

// Add notes a pointer slot: the offset of its word from the start of rw in
// bytes, a multiple of 8 inside rw. It takes longer to change between chunks.
func (c *Collector) Add(rwOffset int64) {
	if n := rwOffset / chunkSize; n != c.open {
		c.turn(n)
	}
	word := rwOffset % chunkSize / wordSize
	c.words[word/64] |= 1 << (word % 64)
}

// turn compacts the open chunk and opens another, or none for -1.
func (c *Collector) turn(chunk int64) {
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
	c.turn(-1)
	n := uint64(0)
	for _, set := range c.sets {
		if set != nil {
			n += set.GetCardinality()
		}
	}
	return n
}

// Size returns the size of the encoded region in bytes, a multiple of 8.
func (c *Collector) Size() int64 {
	c.turn(-1)
	size := directorySize(int64(len(c.sets)))
	for _, set := range c.sets {
		if set != nil {
			size += disk.AlignUp(int64(set.GetSerializedSizeInBytes()), disk.Unit)
		}
	}
	return size
}

// Encode returns the region bm, which is to begin at start in the file.
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
