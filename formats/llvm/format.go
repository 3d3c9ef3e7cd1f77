package llvm

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Versions that are known.
const (
	RawOldest     = 7 // LLVM 13
	RawNewest     = 11
	IndexedOldest = 1
	IndexedNewest = 13 // LLVM 22
)

// The version word of raw and indexed files has the version in its low half and
// the variant in its topmost bits.
const (
	versionMask  = 1<<32 - 1
	variantShift = 55
)

// A Variant is bits 55 to 63 of the version word, shifted down by 55, as in
// layout.ParamLLVMVariant.
type Variant uint32

// The variant bits.
const (
	VariantLoopEntries      Variant = 1 << iota // loop entries are instrumented
	VariantIR                                   // instrumented on IR; else by the front end
	VariantContextSensitive                     // has records of the second instrumentation
	VariantEntryFirst                           // the entry block is always instrumented
	VariantCorrelated                           // raw: names and data are in the debug info
	VariantByteCoverage                         // counters are 0 or 1
	VariantEntryOnly                            // function entries alone are covered
	VariantMemProf                              // indexed: has memory profiles
	VariantTemporal                             // has temporal traces
)

// Domain is the domain of profiles of the variant.
func (v Variant) Domain() layout.Domain {
	if v&VariantIR != 0 {
		return layout.DomainLLVMIR
	}
	return layout.DomainLLVMFrontend
}

// indexedMagic begins an indexed file, read as a little-endian word.
const indexedMagic = 0x8169666f72706cff

// nameSeparator stands between the names of a chunk.
const nameSeparator = 0x01

// Versions of the indexed format in which parts of it came.
const (
	sinceNumCounts  = 2  // the number of counters of a record
	sinceValues     = 3  // value profiles
	sinceSummary    = 4  // the summary behind the header
	sinceMemProf    = 8  // the offset of memory profiles
	sinceBinaryIDs  = 9  // binary ids
	sinceTraces     = 10 // temporal traces
	sinceBitmaps    = 11 // MC/DC bitmaps
	sinceVTables    = 12 // names of vtables, values of kind vtable
	summaryFields   = 6
	summaryCutoffs  = 16
	valueKindsKnown = 3 // indirect call, memop size, vtable
)

// PropertyStreamSize is the key, in TableProperties, of the number of temporal
// traces of which those in TableTraces were chosen. Several rows add up.
const PropertyStreamSize = disk.PropertyTraceStream

// Columns of the tables that are read and written.
var (
	binaryIDColumns = []layout.ColumnKind{layout.ColumnSymbol}
	traceColumns    = []layout.ColumnKind{layout.ColumnWord, layout.ColumnWord, layout.ColumnWord}
	vtableColumns   = []layout.ColumnKind{layout.ColumnSymbol, layout.ColumnWord, layout.ColumnWord}
	orderColumns    = []layout.ColumnKind{layout.ColumnProfile}
	propertyColumns = []layout.ColumnKind{layout.ColumnSymbol, layout.ColumnSymbol}
)
