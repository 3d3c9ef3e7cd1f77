package layout

import "fmt"

// A Tag is what a profile entry records. Tags 1 to 13 are HotSpot's (src/hotspot/share/oops/methodData.hpp,
// the same in JDK 17 to 25), and their entries are HotSpot's word for word; tags from 64 are this format's,
// those from TagProducer each producer's own.
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

// This format's wide tags.
const (
	TagCounters   Tag = 64 // an array of counters
	TagValueSite  Tag = 65 // values seen at a site, with their counts
	TagBitmap     Tag = 66 // an array of bits
	TagSuccessors Tag = 67 // successors of a branch, with index and count
	TagReceivers  Tag = 68 // receiver types, any number of them
	TagCallees    Tag = 69 // called methods, with their counts
	TagCount      Tag = 70 // one counter; Sub names the counted event
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

// String returns the name of a tag, as docs/format.md spells it.
func (t Tag) String() string {
	if name, ok := tagNames[t]; ok {
		return name
	}
	return fmt.Sprintf("tag(%d)", uint8(t))
}

// EntryFlags are the flags of an entry.
type EntryFlags uint8

// The flags of an entry.
const (
	EntryNullSeen EntryFlags = 1 << 0 // of a type check: a null was seen
)

// EntryTraps is the traps word of an entry, HotSpot's DataLayout::_traps: the reason of
// the traps at its point, 0 for none, and a flag.
type EntryTraps uint32

// The parts of a traps word.
const (
	EntryTrapRecompiled EntryTraps = 1 << 31 // the method was compiled again after a trap
)

// A Sub refines the tag of a wide entry. Each tag has values of its own.
type Sub uint16

// The values of Sub.
const (
	// Of a TagReceivers entry: whose types it has.
	SubVirtualCall Sub = 1 // receivers of a call
	SubTypeCheck   Sub = 2 // operands of instanceof, checkcast or aastore

	// Of a TagSuccessors entry.
	SubConditional Sub = 1 // an if or a switch

	// Of a TagValueSite entry: LLVM's value kinds.
	SubIndirectCall Sub = 0 // values are ids of called functions
	SubMemOpSize    Sub = 1 // values are sizes in bytes
	SubVTable       Sub = 2 // values are ids of vtables

	// Events that a TagCount entry counts.
	SubCalls       Sub = 1 // calls of the method
	SubBytecodes   Sub = 2 // bytecodes executed
	SubCycles      Sub = 3 // processor cycles
	SubNativeCalls Sub = 4 // calls of a native method
	SubNewArrays   Sub = 5 // arrays created at the point
	SubSamples     Sub = 6 // samples taken at the point
	SubNanoseconds Sub = 8 // processor time of the samples taken at the point, in nanoseconds
)

// A CountUnit is the unit of a count: 0 for executions (calls, branches, types seen), 1 for bytecodes, 2 for
// processor cycles, 3 for calls of native methods, 4 for arrays created, 5 for samples taken at a point, 6 for
// nanoseconds of processor time. Only counts of one unit can be added up.
type CountUnit uint8

var unitNames = [...]string{"counts", "bytecodes", "cycles", "native calls", "new arrays", "point samples",
	"nanoseconds"}

func (u CountUnit) String() string { return unitNames[u] }
