package llvm

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
)

// Versions that this package reads.
const (
	RawOldest     = 7 // LLVM 13
	RawNewest     = 11
	IndexedOldest = 1
	IndexedNewest = 13 // LLVM 22
)

// The low half of the version word is the version. Its bits from VariantShift on are the variant.
const (
	versionMask  = 1<<32 - 1
	VariantShift = 55
)

// A Variant is bits 55 to 63 of the version word, shifted down by 55, as in layout.ParamLLVMVariant.
type Variant uint32

// Bits of a [Variant].
const (
	VariantLoopEntries      Variant = 1 << iota // loop entries are instrumented
	VariantIR                                   // instrumented on IR; otherwise by the front end
	VariantContextSensitive                     // has records of the second instrumentation, after inlining
	VariantEntryFirst                           // the entry block is always instrumented
	VariantCorrelated                           // raw files: names and data are in the debug info
	VariantByteCoverage                         // counters are 0 or 1
	VariantEntryOnly                            // only function entries are covered
	VariantMemProf                              // indexed files: has memory profiles
	VariantTemporal                             // has temporal traces
)

// Domain returns the domain of profiles with variant v.
func (v Variant) Domain() layout.Domain {
	if v&VariantIR != 0 {
		return layout.DomainLLVMIR
	}
	return layout.DomainLLVMFrontend
}

const indexedMagic = 0x8169666f72706cff

const nameSeparator = 0x01

// Versions of the indexed format that introduced a part, and sizes of its summary.
const (
	sinceNumCounts  = 2  // the number of counters of a record
	sinceValues     = 3  // value profiles
	sinceSummary    = 4  // the summary after the header
	sinceMemProf    = 8  // the offset of memory profiles
	sinceBinaryIDs  = 9  // binary ids
	sinceTraces     = 10 // temporal traces
	sinceBitmaps    = 11 // MC/DC bitmaps
	sinceVTables    = 12 // names of vtables, values of kind vtable
	summaryFields   = 6
	summaryCutoffs  = 16
	valueKindsKnown = 3 // indirect call, memop size, vtable
)

// PropertyStreamSize is the key in TableProperties for the number of temporal traces from which those in TableTraces
// were sampled. The values of several rows add up.
const PropertyStreamSize = disk.PropertyTraceStream

// VersionOfRelease returns the indexed version that a release of LLVM writes, or 0 for releases before 12. Future
// releases get the newest version.
func VersionOfRelease(release int) int {
	switch {
	case release < 12:
		return 0
	case release <= 14:
		return 7
	case release <= 18:
		return release - 7 // one more each
	case release <= 21:
		return 12
	}
	return IndexedNewest
}

// A function is one record: a name with one FuncHash. The parser reuses its slices for the next function.
type function struct {
	name   []byte
	hash   uint64
	line   int // line of the number of counters in a text; 0 in other formats
	counts []uint64
	sites  []site
	values []builder.Value // concatenated values of all sites
	bitmap []byte
}

type site struct {
	kind   layout.Sub
	number int32 // 0-based number among the sites of its kind
	end    int   // end index in function.values; starts at the previous site's end
}

// clearContent empties f, except for its name.
func (f *function) clearContent() {
	f.counts = f.counts[:0]
	f.sites = f.sites[:0]
	f.values = f.values[:0]
	f.bitmap = f.bitmap[:0]
}

func (f *function) valueTotal() (sum uint64) {
	for _, v := range f.values {
		sum += v.Count
	}
	return sum
}

// entryCount returns the number of profile entries for the function.
func (f *function) entryCount() int {
	n := 1 + len(f.sites)
	if len(f.bitmap) > 0 {
		n++
	}
	return n
}

// A block of value profiles has the same layout in raw and indexed files, except for the byte order:
//
//	u32 size of the block, u32 number of kinds, and for each kind
//	    u32 kind, u32 number of sites, u8 number of values for each site,
//	    zeros up to a multiple of 8, { u64 value, u64 count } for each value
const (
	valueBlockHeader = 8
	valueKindHeader  = 8
	valueSize        = 16
)

// valueBlock decodes a block of value profiles. The error has no offset.
func (f *function) valueBlock(b []byte, o binary.ByteOrder) error {
	kinds := o.Uint32(b[4:])
	last := -1
	b = b[valueBlockHeader:]
	for range kinds {
		if len(b) < valueKindHeader {
			return fmt.Errorf("a block of values has %d kinds and no room for them", kinds)
		}
		kind := o.Uint32(b)
		sites := o.Uint32(b[4:])
		if kind >= valueKindsKnown || int(kind) <= last {
			return fmt.Errorf("values of kind %d after kind %d", kind, last)
		}
		last = int(kind)
		var err error
		b, err = f.valueSites(b[valueKindHeader:], layout.Sub(kind), sites, o)
		if err != nil {
			return err
		}
	}
	if len(b) >= valueBlockHeader {
		return fmt.Errorf("%d bytes after the values of a block", len(b))
	}
	return nil
}

var tooManySites = parse.Exceeded("a function of more than %d value sites of one kind", parse.MaxValueSites)

// valueSites decodes the sites of one kind and returns the bytes after them.
func (f *function) valueSites(b []byte, kind layout.Sub, sites uint32, o binary.ByteOrder) (rest []byte, err error) {
	if uint64(sites) > uint64(len(b)) || sites > math.MaxInt32 {
		return nil, fmt.Errorf("%d value sites in %d bytes", sites, len(b))
	}
	if sites > parse.MaxValueSites {
		return nil, tooManySites
	}
	numbers := b[:sites]
	start := disk.AlignUp(valueKindHeader+int64(sites), disk.Unit) - valueKindHeader
	if start > int64(len(b)) {
		return nil, fmt.Errorf("%d value sites in %d bytes", sites, len(b))
	}
	b = b[start:]
	for i, n := range numbers {
		if len(b) < int(n)*valueSize {
			return nil, fmt.Errorf("%d values of a site in %d bytes", n, len(b))
		}
		for range n {
			f.values = append(f.values, builder.Value{Value: o.Uint64(b), Count: o.Uint64(b[8:])})
			b = b[valueSize:]
		}
		f.sites = append(f.sites, site{kind, int32(i), len(f.values)})
	}
	return b, nil
}
