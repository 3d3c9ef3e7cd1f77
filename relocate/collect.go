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
	// chunkSize is the number of bytes of rw that one bitmap covers.
	chunkSize = chunkWords * wordSize
	wordSize  = 8

	directoryStart = 8
	directoryRow   = 8
)

var le = binary.LittleEndian

func chunkCount(rwSize int64) int64 { return (rwSize + chunkSize - 1) / chunkSize }

// directorySize returns the size of a directory of n chunks. It is also the offset of row n.
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

// openChunk compacts the open chunk and opens another; -1 opens none.
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
