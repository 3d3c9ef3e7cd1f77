package relocate

import (
	"fmt"
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"
)

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

// A bitmap is the serialized bitmap of a chunk. It must pass checkBitmap before its other methods are called. If the
// bytes change after the check, fillSlots may return wrong words, but only words inside the range.
type bitmap []byte

// checkBitmap returns an error unless the bitmap is sound and its words are below limit. It reads at most 8 KiB once.
func (b bitmap) checkBitmap(limit int) error {
	if len(b) < containerStart {
		return fmt.Errorf("a bitmap of %d bytes", len(b))
	}
	if c := le.Uint32(b); c != cookieNoRuns {
		return fmt.Errorf("a bitmap with cookie %d, want %d", c, cookieNoRuns)
	}
	n := le.Uint32(b[containerCount:])
	key := le.Uint16(b[containerKey:])
	at := le.Uint32(b[containerOffset:])
	if n != 1 || key != 0 || at != containerStart {
		return fmt.Errorf("a bitmap of %d containers, the first with key %d at %d", n, key, at)
	}
	set, size, err := b.roaringBitmap()
	if err == nil {
		err = set.Validate()
	}
	if err != nil {
		return fmt.Errorf("a damaged bitmap: %w", err)
	}
	if size != int64(len(b)) {
		return fmt.Errorf("a bitmap of %d slots in %d bytes, want %d", set.GetCardinality(), len(b), size)
	}
	if last := int(set.Maximum()); last >= limit {
		return fmt.Errorf("a bitmap that names word %d of a chunk of %d", last, limit)
	}
	return nil
}

// roaringBitmap returns the bitmap as a roaring.Bitmap, which reads the same bytes, and its size in bytes.
func (b bitmap) roaringBitmap() (set *roaring.Bitmap, size int64, err error) {
	set = roaring.New()
	size, err = set.FromUnsafeBytes(b)
	return set, size, err
}

func (b bitmap) writeDense(words *[chunkWords / 64]uint64) error {
	set, _, err := b.roaringBitmap()
	if err != nil {
		return fmt.Errorf("a damaged bitmap: %w", err)
	}
	set.WriteDenseTo(words[:])
	return nil
}

// isDense reports whether the container is a bit array. The longest list has the size of a bit array.
func (b bitmap) isDense() bool {
	return len(b) == maxBitmapSize && int(le.Uint16(b[slotsMinusOne:])) >= maxArraySlots
}

// fillSlots writes the slots in [from, to) to words in ascending order, up to len(words), and returns their number.
//
// A lazy claim calls it for the few slots of a block. It must not allocate. The library's iterator takes 10 to 20
// times as long when it advances to the block, and allocates 7 times (BenchmarkSlotsOfABlock).
func (b bitmap) fillSlots(words []uint16, from, to int) (n int) {
	if b.isDense() {
		return fillDense(words, b[containerStart:], from, to)
	}
	return fillArray(words, b[containerStart:], from, to)
}

func fillArray(words []uint16, p []byte, from, to int) (n int) {
	p = p[2*searchArray(p, from):]
	for ; n < len(words) && 2*n < len(p); n++ {
		word := le.Uint16(p[2*n:])
		if int(word) < from || int(word) >= to {
			break
		}
		words[n] = word
	}
	return n
}

func searchArray(p []byte, word int) int {
	low := 0
	high := len(p) / 2
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
