package relocate

import (
	"encoding/binary"
	"fmt"
	"math/bits"

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

// chunks returns the number of chunks of an rw region of that size in bytes.
func chunks(rwSize int64) int64 { return (rwSize + chunkSize - 1) / chunkSize }

// A Collector gathers the pointer slots of an rw region that is being laid out. It keeps
// encoded bitmaps, but for the chunk that was added to last.
type Collector struct {
	bitmaps []bitmap // nil for a chunk without a slot
	open    int64    // the chunk whose slots are in words, -1 for none
	words   [chunkWords / 64]uint64
}

// NewCollector makes a collector for an rw region of that size in bytes.
func NewCollector(rwSize int64) *Collector {
	return &Collector{bitmaps: make([]bitmap, chunks(rwSize)), open: -1}
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

// turn encodes the open chunk and opens another, or none.
func (c *Collector) turn(chunk int64) {
	if c.open >= 0 {
		c.bitmaps[c.open] = encode(&c.words)
		clear(c.words[:])
	}
	if c.open = chunk; chunk >= 0 && c.bitmaps[chunk] != nil {
		c.bitmaps[chunk].addTo(&c.words)
	}
}

// Count returns the number of slots.
func (c *Collector) Count() uint64 {
	c.turn(-1)
	n := uint64(0)
	for _, b := range c.bitmaps {
		if b != nil {
			n += uint64(b.slots())
		}
	}
	return n
}

// Size returns the size of the encoded region in bytes, a multiple of 8.
func (c *Collector) Size() int64 {
	c.turn(-1)
	size := directorySize(int64(len(c.bitmaps)))
	for _, b := range c.bitmaps {
		if b != nil {
			size += disk.AlignUp(int64(len(b)), disk.Unit)
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
		size := int64(copy(region[at:], b))
		row := region[directorySize(int64(n)):]
		le.PutUint32(row, uint32(start)+uint32(disk.RefOf(at)))
		le.PutUint32(row[4:], uint32(size))
		at += disk.AlignUp(size, disk.Unit)
	}
	return region
}

// directorySize returns the size of a directory of n chunks, which is also the offset of the
// row of chunk n.
func directorySize(n int64) int64 { return directoryStart + n*directoryRow }

// encode returns the bitmap of the slots in words, of which there is one at least.
func encode(words *[chunkWords / 64]uint64) bitmap {
	slots := 0
	for _, w := range words {
		slots += bits.OnesCount64(w)
	}
	b := make(bitmap, 0, containerStart+containerSize(slots))
	b = le.AppendUint32(b, cookieNoRuns)
	b = le.AppendUint32(b, 1) // container, with key 0
	b = le.AppendUint16(b, 0)
	b = le.AppendUint16(b, uint16(slots-1))
	b = le.AppendUint32(b, containerStart)
	for i, w := range words {
		if slots > maxArraySlots {
			b = le.AppendUint64(b, w)
			continue
		}
		for ; w != 0; w &= w - 1 {
			b = le.AppendUint16(b, uint16(i*64+bits.TrailingZeros64(w)))
		}
	}
	return b
}

// addTo adds the slots of a bitmap that was encoded here to words.
func (b bitmap) addTo(words *[chunkWords / 64]uint64) {
	var some [64]uint16
	for from := 0; from < chunkWords; from += len(some) {
		for _, word := range some[:b.fill(some[:], from, from+len(some))] {
			words[word/64] |= 1 << (word % 64)
		}
	}
}

// slots returns the number of slots.
func (b bitmap) slots() int { return int(le.Uint16(b[slotsMinusOne:])) + 1 }

// The parts of a serialized bitmap of one container, in bytes from its start.
const (
	cookieNoRuns    = 12346
	containerCount  = 4
	containerKey    = 8
	slotsMinusOne   = 10
	containerOffset = 12
	containerStart  = 16

	maxArraySlots = 4096
	denseSize     = chunkWords / 8
	maxBitmapSize = containerStart + denseSize
)

// A bitmap is a view of the serialized bitmap of a chunk. It must pass check before its
// other methods are called. If the bytes change after that, fill returns wrong words, but
// words of the range.
type bitmap []byte

// check reports what is wrong with the bitmap, which may name the first limit
// words of its chunk. It is one pass over at most 8 KiB.
func (b bitmap) check(limit int) error {
	if len(b) < containerStart {
		return fmt.Errorf("a bitmap of %d bytes", len(b))
	}
	if c := le.Uint32(b); c != cookieNoRuns {
		return fmt.Errorf("a bitmap with cookie %d, want %d", c, cookieNoRuns)
	}
	if n, key, at := le.Uint32(b[containerCount:]), le.Uint16(b[containerKey:]), le.Uint32(b[containerOffset:]); n != 1 || key != 0 || at != containerStart {
		return fmt.Errorf("a bitmap of %d containers, the first with key %d at %d", n, key, at)
	}
	slots := int(le.Uint16(b[slotsMinusOne:])) + 1
	if want := containerSize(slots); len(b)-containerStart != want {
		return fmt.Errorf("a bitmap of %d slots in %d bytes, want %d", slots, len(b), containerStart+want)
	}
	if b.dense() {
		return checkDense(b[containerStart:], slots, limit)
	}
	return checkArray(b[containerStart:], limit)
}

func containerSize(slots int) int {
	if slots > maxArraySlots {
		return denseSize
	}
	return 2 * slots
}

func checkArray(p []byte, limit int) error {
	last := -1
	for ; len(p) > 0; p = p[2:] {
		word := int(le.Uint16(p))
		if word <= last {
			return fmt.Errorf("a bitmap in which word %d follows word %d", word, last)
		}
		last = word
	}
	if last >= limit {
		return fmt.Errorf("a bitmap that names word %d of a chunk of %d", last, limit)
	}
	return nil
}

func checkDense(p []byte, slots, limit int) error {
	n := 0
	for i := 0; i < denseSize; i += 8 {
		w := le.Uint64(p[i:])
		n += bits.OnesCount64(w)
		if last := i*8 + bits.Len64(w) - 1; w != 0 && last >= limit {
			return fmt.Errorf("a bitmap that names word %d of a chunk of %d", last, limit)
		}
	}
	if n != slots {
		return fmt.Errorf("a bitmap of %d slots that records %d", n, slots)
	}
	return nil
}

// dense reports whether the container is an array of bits rather than a list:
// the longest list has its size.
func (b bitmap) dense() bool {
	return len(b) == maxBitmapSize && int(le.Uint16(b[slotsMinusOne:])) >= maxArraySlots
}

// fill puts the words in [from, to) that have a slot into words, ascending, as many as
// fit, and returns their number.
func (b bitmap) fill(words []uint16, from, to int) (n int) {
	if b.dense() {
		return fillDense(words, b[containerStart:], from, to)
	}
	return fillArray(words, b[containerStart:], from, to)
}

func fillArray(words []uint16, p []byte, from, to int) (n int) {
	p = p[2*search(p, from):]
	for ; n < len(words) && 2*n < len(p); n++ {
		word := le.Uint16(p[2*n:])
		if int(word) < from || int(word) >= to {
			break
		}
		words[n] = word
	}
	return n
}

// search returns the first element of the list p that is not below word.
func search(p []byte, word int) int {
	low, high := 0, len(p)/2
	for low < high {
		mid := (low + high) / 2
		if int(le.Uint16(p[2*mid:])) < word {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func fillDense(words []uint16, p []byte, from, to int) (n int) {
	for at := from &^ 63; at < to; at += 64 {
		w := le.Uint64(p[at/8:])
		if at < from {
			w &= ^uint64(0) << (from - at)
		}
		for ; w != 0; w &= w - 1 {
			word := at + bits.TrailingZeros64(w)
			if word >= to || n == len(words) {
				return n
			}
			words[n] = uint16(word)
			n++
		}
	}
	return n
}

// same reports whether the words in [from, to) that have a slot are those whose bits are
// set in want, whose first bit stands for the word from &^ 63.
func (b bitmap) same(from, to int, want []uint64) bool {
	if b.dense() {
		return sameDense(b[containerStart:], from, to, want)
	}
	list := b[containerStart:]
	list = list[2*search(list, from):]
	for at := from &^ 63; at < to; at += 64 {
		w := uint64(0)
		for ; len(list) > 0 && int(le.Uint16(list)) < min(at+64, to); list = list[2:] {
			w |= 1 << (le.Uint16(list) & 63)
		}
		if w != want[0]&inRange(at, from, to) {
			return false
		}
		want = want[1:]
	}
	return true
}

func sameDense(p []byte, from, to int, want []uint64) bool {
	for at := from &^ 63; at < to; at += 64 {
		if (le.Uint64(p[at/8:])^want[0])&inRange(at, from, to) != 0 {
			return false
		}
		want = want[1:]
	}
	return true
}

// inRange has the bits of those of the 64 words from at on that lie in [from, to).
func inRange(at, from, to int) uint64 {
	mask := ^uint64(0)
	if at < from {
		mask <<= from - at
	}
	if to < at+64 {
		mask &= 1<<(to-at) - 1
	}
	return mask
}
