package llvm

import (
	"encoding/binary"
	"math/bits"

	"github.com/profarc/profarc/builder"
)

// A function is what a file says of one name and hash. The parser reuses its
// slices for the next.
type function struct {
	name   []byte
	hash   uint64
	counts []uint64
	sites  []site
	values []builder.Value // of all sites, one after the other
	bitmap []byte
}

// A site is where values were seen.
type site struct {
	kind   uint16
	number int32 // within its kind, from 0
	end    int   // in the function's values; they begin where the last site's end
}

// plain reports whether the function has counters and nothing else.
func (f *function) plain() bool { return len(f.sites) == 0 && len(f.bitmap) == 0 }

// clear empties f, but for its name.
func (f *function) clear() {
	f.counts, f.sites, f.values, f.bitmap = f.counts[:0], f.sites[:0], f.values[:0], f.bitmap[:0]
}

// entries is the number of profile entries that the function becomes.
func (f *function) entries() int {
	n := 1 + len(f.sites)
	if len(f.bitmap) > 0 {
		n++
	}
	return n
}

// An order is how numbers are stored: true for big-endian.
type order bool

func (o order) u16(b []byte) uint16 {
	v := binary.LittleEndian.Uint16(b)
	if o {
		return bits.ReverseBytes16(v)
	}
	return v
}

func (o order) u32(b []byte) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if o {
		return bits.ReverseBytes32(v)
	}
	return v
}

func (o order) u64(b []byte) uint64 {
	v := binary.LittleEndian.Uint64(b)
	if o {
		return bits.ReverseBytes64(v)
	}
	return v
}
