package layout

import "fmt"

// A Tag is the kind of a profile entry. Tags 1 to 13 and the words of their entries are HotSpot's, as defined in
// src/hotspot/share/oops/methodData.hpp of JDK 17 to 25. Tags from 64 are defined by this format, and tags from
// TagProducer by the producer. 0 is invalid.
type Tag uint8

// HotSpot's tags.
const (
	TagBit             Tag = 1
	TagCounter         Tag = 2
	TagJump            Tag = 3
	TagReceiverType    Tag = 4
	TagVirtualCall     Tag = 5
	TagRet             Tag = 6
	TagBranch          Tag = 7
	TagMultiBranch     Tag = 8
	TagArgInfo         Tag = 9
	TagCallType        Tag = 10
	TagVirtualCallType Tag = 11
	TagParametersType  Tag = 12
	TagSpeculativeTrap Tag = 13
)

// The wide tags of this format.
const (
	TagCounters   Tag = 64 // array of counters
	TagValueSite  Tag = 65 // values seen at a site, with their counts
	TagBitmap     Tag = 66 // array of bits
	TagSuccessors Tag = 67 // successors of a branch, with index and count
	TagReceivers  Tag = 68 // any number of receiver types, with their counts
	TagCallees    Tag = 69 // called methods, with their counts
	TagCount      Tag = 70 // one counter; Sub is the counted event
)

var tagNames = map[Tag]string{
	TagBit:             "Bit",
	TagCounter:         "Counter",
	TagJump:            "Jump",
	TagReceiverType:    "ReceiverType",
	TagVirtualCall:     "VirtualCall",
	TagRet:             "Ret",
	TagBranch:          "Branch",
	TagMultiBranch:     "MultiBranch",
	TagArgInfo:         "ArgInfo",
	TagCallType:        "CallType",
	TagVirtualCallType: "VirtualCallType",
	TagParametersType:  "ParametersType",
	TagSpeculativeTrap: "SpeculativeTrap",
	TagCounters:        "Counters",
	TagValueSite:       "ValueSite",
	TagBitmap:          "Bitmap",
	TagSuccessors:      "Successors",
	TagReceivers:       "Receivers",
	TagCallees:         "Callees",
	TagCount:           "Count",
	71:                 "Undecoded", // disk.TagUndecoded
}

// String returns the name of the tag in docs/format.md.
func (t Tag) String() string {
	if name, ok := tagNames[t]; ok {
		return name
	}
	return fmt.Sprintf("tag(%d)", uint8(t))
}

// EntryFlags are the flags of an entry.
type EntryFlags uint8

// EntryNullSeen is the flag of a type check that saw a null.
const EntryNullSeen EntryFlags = 1 << 0

// EntryTraps is the traps word of an entry, HotSpot's DataLayout::_traps. It has the reason of the traps at the point,
// 0 if there were none, and EntryTrapRecompiled.
type EntryTraps uint32

// EntryTrapRecompiled is the flag of a traps word that the method was recompiled after a trap.
const EntryTrapRecompiled EntryTraps = 1 << 31

// A Sub refines the tag of a wide entry. The meaning of a value depends on the tag.
type Sub uint16

// The values of Sub by tag. TagValueSite has LLVM's value kinds.
const (
	// TagReceivers
	SubVirtualCall Sub = 1 // receivers of a call
	SubTypeCheck   Sub = 2 // operands of instanceof, checkcast or aastore

	// TagSuccessors
	SubConditional Sub = 1 // if or switch

	// TagValueSite
	SubIndirectCall Sub = 0 // values are ids of called functions
	SubMemOpSize    Sub = 1 // values are sizes in bytes
	SubVTable       Sub = 2 // values are ids of vtables

	// TagCount
	SubCalls       Sub = 1 // calls of the method
	SubBytecodes   Sub = 2 // bytecodes executed
	SubCycles      Sub = 3 // processor cycles
	SubNativeCalls Sub = 4 // calls of a native method
	SubNewArrays   Sub = 5 // arrays created at the point
	SubSamples     Sub = 6 // samples taken at the point
	SubNanoseconds Sub = 8 // processor time of the samples taken at the point, in nanoseconds
	SubIterations  Sub = 9 // iterations of the loop at the point
	// deoptimizations at the point for cause 0 of the VM; SubDeopts + n is the sub for cause n, at most MaxDeoptCause
	SubDeopts Sub = 32
)

// MaxDeoptCause is the highest number of a cause of deoptimizations, with SubDeopts.
const MaxDeoptCause = 31

// A CountUnit is the unit of a count. It is 0 for executions (calls, branches, types seen), 1 for bytecodes, 2 for
// processor cycles, 3 for calls of native methods, 4 for arrays created, 5 for samples at a point, and 6 for
// nanoseconds of processor time. Only counts with equal units can be added.
type CountUnit uint8

var unitNames = [...]string{"counts", "bytecodes", "cycles", "native calls", "new arrays", "point samples",
	"nanoseconds"}

func (u CountUnit) String() string { return unitNames[u] }

// TagProducer is the first tag that a producer of [DomainCustom] can define; the last is 255. Entries with such
// tags are wide, and an EntryShape declares their cells. Copies and merges keep them without interpreting them.
const TagProducer Tag = 192

// An EntryShape declares the entries with one of a producer's tags. The archive stores it, so that any tool can
// print, compare and merge such entries.
//
// An entry has the cells in Cells, followed by rows that each have the cells in Rows. A merge joins entries of the
// same profile point, tag and sub if all their key cells are equal. It then joins rows with equal keys, or rows with
// equal index if rows have no key. Recording joins rows with equal keys too. A row of zeros is free, and the
// producer can fill it later.
type EntryShape struct {
	Tag  Tag
	Name string    // unique in the archive; a capital letter, then up to 31 letters, digits, '-' and '_'
	Unit CountUnit // unit of the CellCount cells
	// Cells are the cells outside the rows, at most 32. Each name is unique and has a small letter, then up to 31
	// small letters, digits, '-' and '_'.
	Cells []CellShape
	Rows  []CellShape // cells of one row, at most 8, named like Cells; nil if there are no rows
}

// A CellShape declares a cell.
type CellShape struct {
	Name string
	Kind CellKind
	Bits []string // names of the bits of a CellBits, lowest bit first, at most 64; "" for an unnamed bit
}

// A CellKind is the meaning of an 8-byte cell. It determines how a merge combines two cells. 0 is invalid.
type CellKind uint8

// The kinds of cells that a producer can declare.
const (
	CellCount  CellKind = 1 // u64 count; a merge adds, and saturates at the maximum
	CellMax    CellKind = 2 // u64; a merge keeps the maximum
	CellBits   CellKind = 3 // set of bits; a merge keeps the union
	CellFirst  CellKind = 4 // u64, 0 if unset; a merge keeps the first one that is set
	CellValue  CellKind = 5 // u64 key
	CellType   CellKind = 6 // pointer to a type, 0 if null; a key
	CellMethod CellKind = 7 // pointer to a method, 0 if null; a key
	CellMin    CellKind = 8 // u64, 0 if unset; a merge keeps the minimum of those set
	CellLast   CellKind = 9 // u64, 0 if unset; a merge keeps the last one that is set
)

var cellKindNames = [...]string{CellCount: "count", CellMax: "max", CellBits: "bits", CellFirst: "first",
	CellValue: "value", CellType: "type", CellMethod: "method", CellMin: "min", CellLast: "last"}

// String returns the name of the kind in the text form of archives.
func (k CellKind) String() string {
	if int(k) < len(cellKindNames) && k > 0 {
		return cellKindNames[k]
	}
	return "internal"
}
