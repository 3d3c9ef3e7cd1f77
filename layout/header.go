package layout

import (
	"fmt"
	"time"
)

// HeaderSize is the size in bytes of the header of this version.
const HeaderSize = 640

// A Header is the decoded header.
type Header struct {
	Version     uint32
	FileSize    int64
	Required    uint64 // required feature bits
	Optional    uint64 // optional feature bits
	Domain      Domain
	Base        uint64 // requested base: the address that pointers in rw are made for
	RWShift     uint32 // log2 of the alignment of rw
	MaxProbe    uint32 // index: the most lines a lookup touches
	Seed        uint64 // index: what ids are mixed with
	SumRoot     uint64 // sum of the top of the page sum tree
	Buckets     uint64 // index: number of lines
	Fingerprint [16]byte
	DumpID      [16]byte
	DumpTime    int64 // nanoseconds since 1970, 0 if unknown
	Flags       uint64
	Params      Params
	Producer    string                   // at most 64 bytes of UTF-8
	Regions     [int(regionEnd) - 1]Span // by Region-1
	Parts       [5]Span                  // of ro: symbols, types, methods, methods that never ran, contexts
	Counts      Counts
	Summary     Summary
}

// Region returns the place of a region; the header itself is one.
func (h *Header) Region(r Region) Span {
	if r == RegionHeader {
		return Span{0, HeaderSize}
	}
	return h.Regions[r-1]
}

// Time is the time of the dump, or the zero time if it is not known.
func (h *Header) Time() time.Time {
	if h.DumpTime == 0 {
		return time.Time{}
	}
	return time.Unix(0, h.DumpTime)
}

// Counts says how much of everything the archive holds.
type Counts struct {
	Methods    uint64 `json:"methods"`   // method records, and rows of methods that never ran
	Unexecuted uint64 `json:"never_ran"` // of these, methods that were seen and never ran
	Profiles   uint64 `json:"profiles"`  // MethodData blocks
	Contexts   uint64 `json:"contexts"`  // context nodes
	Types      uint64 `json:"types"`     // type records
	Symbols    uint64 `json:"symbols"`   // symbols of the symbol section
	Entries    uint64 `json:"entries"`   // profile entries of all blocks and sections
	Pointers   uint64 `json:"pointers"`  // pointer slots of rw
}

// Summary is what a reader may want to know before it looks at a profile.
// Sums saturate.
type Summary struct {
	TotalInvocations uint64 `json:"invocations"` // sum of all invocation counters
	MaxInvocations   uint64 `json:"max_invocations"`
	TotalCount       uint64 `json:"counts"` // sum of all count cells of data entries
	MaxCount         uint64 `json:"max_count"`
}

// Flags say what the archive is a record of.
const (
	FlagDelta  = 1 << 0 // counts are what was added since a dump, not totals
	FlagMerged = 1 << 1 // made from several dumps; table TableDumps names them
)

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

var regionNames = [...]string{"header", "ps", "ix", "ro", "bm", "ex", "rw"}

func (r Region) String() string {
	if int(r) < len(regionNames) {
		return regionNames[r]
	}
	return fmt.Sprintf("region(%d)", uint32(r))
}

// A Span is a range of bytes of the file.
type Span struct {
	Offset, Size int64
}

// End is the offset of the first byte after the span.
func (s Span) End() int64 { return s.Offset + s.Size }

// Holds reports whether [offset, offset+size) lies inside the span.
func (s Span) Holds(offset, size int64) bool {
	return offset >= s.Offset && size >= 0 && size <= s.Size && offset-s.Offset <= s.Size-size
}
