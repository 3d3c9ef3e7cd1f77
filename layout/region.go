package layout

import "fmt"

// A Region is a part of the file with a protection of its own.
type Region uint32

// The regions, in file order. RegionHeader has no row in the region table.
const (
	RegionHeader Region = iota
	RegionPS            // page sums
	RegionIX            // hash index
	RegionRO            // symbols, types, methods, contexts
	RegionBM            // relocation bitmaps
	RegionEX            // tables of what belongs to no method
	RegionRW            // MethodData blocks
	regionEnd
)

// NumRegions is the number of rows in the header's region table.
const NumRegions = int(regionEnd) - 1

var regionNames = [...]string{"header", "ps", "ix", "ro", "bm", "ex", "rw"}

func (r Region) String() string {
	if int(r) < len(regionNames) {
		return regionNames[r]
	}
	return fmt.Sprintf("region(%d)", uint32(r))
}

// Protection says how a region is meant to be mapped.
type Protection uint32

// The protections.
const (
	ProtShared   Protection = 1 // read-only, shared between processes
	ProtPrivate  Protection = 2 // adopted: private, copy-on-write
	ProtOnDemand Protection = 3 // read when asked for
)

// protections of the regions, by Region.
var protections = [...]Protection{
	RegionPS: ProtShared, RegionIX: ProtShared, RegionRO: ProtShared,
	RegionBM: ProtOnDemand, RegionEX: ProtOnDemand, RegionRW: ProtPrivate,
}

// A Span is a range of bytes of the file.
type Span struct {
	Offset, Size int64
}

// End is the offset of the first byte behind the span.
func (s Span) End() int64 { return s.Offset + s.Size }

// Holds reports whether [offset, offset+size) lies inside the span.
func (s Span) Holds(offset, size int64) bool {
	return offset >= s.Offset && size >= 0 && size <= s.Size && offset-s.Offset <= s.Size-size
}

// Sizes and alignments of the format.
const (
	Unit        = 8  // what a Narrow counts, and what every record is a multiple of
	LineSize    = 64 // an index line; regions begin on a multiple of it
	PageShift   = 12 // log2 of the page that has one sum
	PageSize    = 1 << PageShift
	SmallShift  = 16       // rw begins on a multiple of 1<<SmallShift ...
	LargeShift  = 21       // ... or of 1<<LargeShift
	LargeRW     = 64 << 20 // ... from this size of rw on
	MaxFileSize = 32 << 30 // what a Narrow reaches
)

// RWShift is the alignment of an rw region of that size, as a power of two.
func RWShift(size int64) uint32 {
	if size >= LargeRW {
		return LargeShift
	}
	return SmallShift
}

// AlignUp rounds n up to a multiple of align, a power of two.
func AlignUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }
